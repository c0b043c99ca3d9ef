-- Notes when the sweeper has to look at a key again.
--
-- KEYS[1]  keys in flight    sorted set of keys with reservations, by when the sweeper has to look at them
-- KEYS[2]  key flight        sorted set: the key's reservations, by when they end
-- ARGV[1]  id of the key
--
-- Returns 1 where the key still has reservations, else 0: it is then no longer among the keys in flight.
--
-- Idempotent. Atomic, so that a reservation made meanwhile is not forgotten.

local first = redis.call('ZRANGE', KEYS[2], '0', '0', 'WITHSCORES')
if not first[2] then
  redis.call('ZREM', KEYS[1], ARGV[1])
  return 0
end
redis.call('ZADD', KEYS[1], first[2], ARGV[1])
return 1
