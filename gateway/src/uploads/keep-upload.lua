-- Makes an upload whose content is stored visible, counts it in the statistics, and puts its true size in the place of
-- what was reserved for it.
--
-- KEYS[1]  upload       hash of the upload
-- KEYS[2]  open         sorted set: ids of uploads in work or being removed
-- KEYS[3]  statistics   hash: `files`, `bytes`, and `kind:<kind>` for each kind
-- KEYS[4]  storage      hash: bytes taken by all uploads and by each API key's, see shared/src/redis-keys.ts
-- KEYS[5]  key uploads  sorted set: uploads of the API key that the storage counts, by when they were made, Unix ms
-- KEYS[6]  key record   hash of the API key
-- ARGV[1]  upload id
-- ARGV[2]  id of the API key
-- ARGV[3]  kind
-- ARGV[4]  size, bytes
-- ARGV[5]  when it was made, Unix ms
-- ARGV[6]  bytes that all uploads may take
-- ARGV[7]  bytes that a key's uploads may take where its record does not say
-- ARGV[8…] field, value, … of the metadata
--
-- Returns 'kept'; 'gone' when the upload is no longer open, because its lease ended and it was given back; 'key' or 'all'
-- when it is larger than what was reserved, and its key, or the storage, has no room for the rest. What was reserved is
-- given back at once then: of several that are too many together, no more fail than have to.
--
-- Idempotent by upload id: the upload goes from 'open' to 'kept' once.

local state, held = unpack(redis.call('HMGET', KEYS[1], 'state', 'held'))
if state == 'kept' then return 'kept' end
if state ~= 'open' then return 'gone' end

local size, field = tonumber(ARGV[4]), 'key:' .. ARGV[2]
local isCounted = redis.call('ZSCORE', KEYS[5], ARGV[1]) ~= false
held = isCounted and tonumber(held or '0') or 0
local more = size - held
if more > 0 then
  local all, own = unpack(redis.call('HMGET', KEYS[4], 'bytes', field))
  local limit = tonumber(redis.call('HGET', KEYS[6], 'storage') or ARGV[7])
  local full = tonumber(own or '0') + more > limit and 'key' or tonumber(all or '0') + more > tonumber(ARGV[6]) and 'all'
  if full then
    if isCounted then
      redis.call('ZREM', KEYS[5], ARGV[1])
      redis.call('HINCRBY', KEYS[4], 'files', -1)
      redis.call('HINCRBY', KEYS[4], 'bytes', -held)
      redis.call('HINCRBY', KEYS[4], field, -held)
      if redis.call('EXISTS', KEYS[5]) == 0 then redis.call('HDEL', KEYS[4], field) end
    end
    return full
  end
end

redis.call('HSET', KEYS[1], 'state', 'kept', 'kind', ARGV[3], 'size', ARGV[4], 'held', ARGV[4], unpack(ARGV, 8))
redis.call('HDEL', KEYS[1], 'room')
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZADD', KEYS[5], ARGV[5], ARGV[1])
if not isCounted then redis.call('HINCRBY', KEYS[4], 'files', 1) end
redis.call('HINCRBY', KEYS[4], 'bytes', string.format('%d', more))
redis.call('HINCRBY', KEYS[4], field, string.format('%d', more))
redis.call('HINCRBY', KEYS[3], 'files', 1)
redis.call('HINCRBY', KEYS[3], 'bytes', ARGV[4])
redis.call('HINCRBY', KEYS[3], 'kind:' .. ARGV[3], 1)
return 'kept'
