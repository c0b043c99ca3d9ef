-- Blocks an address in the operator's name, or lifts every block of it, with an entry in the audit log. Redis TIME is the
-- clock.
--
-- KEYS[1]  ban       string with expiry: who banned the address
-- KEYS[2]  bad keys  list: bad keys tried from the address
-- KEYS[3]  blocked   sorted set of addresses banned or over their hour, by when that ends, Unix ms
-- KEYS[4]  audit     stream, see script-includes/note-audit.lua
-- ARGV[1]  'block' or 'unblock'
-- ARGV[2]  the address in the form that limits are counted by
-- ARGV[3]  ms until the block ends; 0 for one that only the operator ends ('block' alone)
-- ARGV[4]  head of the audit entry
--
-- Returns 1, or 0 when there was nothing to lift. Repeating a block sets its end anew; repeating a lift changes nothing.

--- @include <clock>
--- @include <note-audit>

-- Who has blocked the address, and until when; nil where nothing does.
local function blocked()
  local by = redis.call('GET', KEYS[1])
  if not by then return nil end
  local left = redis.call('PTTL', KEYS[1])
  return { by = by, ['until'] = left > 0 and string.format('%.0f', now + left) or 'no end' }
end

local before = blocked()
if ARGV[1] == 'unblock' then
  redis.call('DEL', KEYS[2])
  -- An entry without a ban is of the hourly limit, which stays: so must what lists show of it.
  if redis.call('DEL', KEYS[1]) == 0 then
    return 0
  end
  redis.call('ZREM', KEYS[3], ARGV[2])
else
  local forMs = tonumber(ARGV[3])
  if forMs == 0 then
    redis.call('SET', KEYS[1], 'operator')
    redis.call('ZADD', KEYS[3], '+inf', ARGV[2])
  else
    redis.call('SET', KEYS[1], 'operator', 'PX', forMs)
    redis.call('ZADD', KEYS[3], now + forMs, ARGV[2])
  end
end
noteAudit(KEYS[4], ARGV[4], before, blocked())
return 1
