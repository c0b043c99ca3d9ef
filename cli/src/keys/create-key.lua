-- Stores a new API key, all of it or nothing.
--
-- KEYS[1]  record     hash: the key's fields, see shared/src/api-key-record.ts
-- KEYS[2]  index      sorted set: key ids by time of creation, Unix ms; those of one millisecond a thousandth of it
--                     apart, in the order in which they were stored
-- ARGV[1]  key id
-- ARGV[2]  time of creation, Unix ms
-- ARGV[3…] field, value, field, value, …
--
-- Returns 1 when it was stored, 0 when the id is taken (nothing changed).

if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
local score = ARGV[2]
local latest = redis.call('ZREVRANGEBYSCORE', KEYS[2], '(' .. string.format('%d', ARGV[2] + 1), ARGV[2], 'WITHSCORES', 'LIMIT', '0', '1')[2]
if latest then
  score = string.format('%.3f', latest + 0.001)
end
redis.call('ZADD', KEYS[2], score, ARGV[1])
return 1
