-- Makes an upload whose content is stored visible, and counts it in the statistics.
--
-- KEYS[1]  upload      hash of the upload
-- KEYS[2]  open        sorted set: ids of uploads in work or being removed
-- KEYS[3]  statistics  hash: `files`, `bytes`, and `kind:<kind>` for each kind
-- ARGV[1]  upload id
-- ARGV[2]  kind
-- ARGV[3]  size, bytes
-- ARGV[4…] field, value, … of the metadata
--
-- Returns 'kept', or 'gone' when the upload is no longer open: its lease ended and it was given back.
--
-- Idempotent by upload id: the upload goes from 'open' to 'kept' once.

local state = redis.call('HGET', KEYS[1], 'state')
if state == 'kept' then return 'kept' end
if state ~= 'open' then return 'gone' end
redis.call('HSET', KEYS[1], 'state', 'kept', 'kind', ARGV[2], 'size', ARGV[3], unpack(ARGV, 4))
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HINCRBY', KEYS[3], 'files', 1)
redis.call('HINCRBY', KEYS[3], 'bytes', ARGV[3])
redis.call('HINCRBY', KEYS[3], 'kind:' .. ARGV[2], 1)
return 'kept'
