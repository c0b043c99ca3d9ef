-- Blocks an address in the operator's name, or lifts every block of it.
--
-- KEYS[1]  ban       string with expiry: who banned the address
-- KEYS[2]  bad keys  list: bad keys tried from the address
-- KEYS[3]  blocked   sorted set of addresses banned or over their hour, by when that ends, Unix ms
-- ARGV[1]  'block' or 'unblock'
-- ARGV[2]  the address in the form that limits are counted by
-- ARGV[3]  ms until the block ends; 0 for one that only the operator ends ('block' alone)
--
-- Returns 1, or 0 when there was nothing to lift. Repeating a block sets its end anew; repeating a lift changes nothing.

if ARGV[1] == 'unblock' then
  redis.call('DEL', KEYS[2])
  -- An entry without a ban is of the hourly limit, which stays: so must what lists show of it.
  if redis.call('DEL', KEYS[1]) == 0 then
    return 0
  end
  redis.call('ZREM', KEYS[3], ARGV[2])
  return 1
end

--- @include <clock>

local forMs = tonumber(ARGV[3])
if forMs == 0 then
  redis.call('SET', KEYS[1], 'operator')
  redis.call('ZADD', KEYS[3], '+inf', ARGV[2])
  return 1
end
redis.call('SET', KEYS[1], 'operator', 'PX', forMs)
redis.call('ZADD', KEYS[3], now + forMs, ARGV[2])
return 1
