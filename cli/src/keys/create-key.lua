-- Stores a new API key, all of it or nothing.
--
-- KEYS[1]  record     hash: the key's fields, see shared/src/api-key-record.ts
-- KEYS[2]  index      sorted set: key ids by time of creation, Unix ms
-- ARGV[1]  key id
-- ARGV[2]  time of creation, Unix ms
-- ARGV[3…] field, value, field, value, …
--
-- Returns 1 when it was stored, 0 when the id is taken (nothing changed).

if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
return 1
