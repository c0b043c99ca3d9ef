-- Moves keys that have expired from the set of active ones to that of expired ones, some at once.
--
-- KEYS[1…7]  index, texts, use, active, expired, revoked, expiring, as in includes/key-scripts.lua
-- ARGV[1]    keys at most
--
-- Returns how many were moved. Idempotent: a key is moved once.

local index, texts, use, active, expired, revoked, expiring = unpack(KEYS)
--- @include <clock>

local due = redis.call('ZRANGEBYSCORE', expiring, '-inf', string.format('%.0f', now), 'LIMIT', '0', ARGV[1])
for _, id in ipairs(due) do
  local created = redis.call('ZSCORE', active, id)
  if created then
    redis.call('ZREM', active, id)
    redis.call('ZADD', expired, created, id)
  end
  redis.call('ZREM', expiring, id)
end
return #due
