-- Drops the last trace of an upload whose content has been removed, and gives back the room that it took.
--
-- KEYS[1]  upload       hash of the upload
-- KEYS[2]  open         sorted set: ids of uploads in work or being removed
-- KEYS[3]  storage      hash: bytes taken by all uploads and by each API key's, see shared/src/redis-keys.ts
-- KEYS[4]  key uploads  sorted set: uploads of the API key that the storage counts
-- ARGV[1]  upload id
-- ARGV[2]  id of the API key; '' where it is not known, and nothing was counted
--
-- Returns 1. Idempotent: the room is given back with the upload's entry among the key's, once.

if ARGV[2] ~= '' and redis.call('ZREM', KEYS[4], ARGV[1]) == 1 then
  local held, field = tonumber(redis.call('HGET', KEYS[1], 'held') or '0'), 'key:' .. ARGV[2]
  redis.call('HINCRBY', KEYS[3], 'files', -1)
  redis.call('HINCRBY', KEYS[3], 'bytes', string.format('%d', -held))
  redis.call('HINCRBY', KEYS[3], field, string.format('%d', -held))
  -- Scripts that look through the keys with uploads go by these fields.
  if redis.call('EXISTS', KEYS[4]) == 0 then redis.call('HDEL', KEYS[3], field) end
end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
