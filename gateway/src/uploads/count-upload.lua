-- Counts an upload that the storage does not count yet: one that was kept by an earlier version, or restored.
--
-- KEYS[1]  upload   hash of the upload
-- KEYS[2]  storage  hash: bytes taken by all uploads and by each API key's, see shared/src/redis-keys.ts
-- ARGV[1]  upload id
-- ARGV[2]  prefix of the sorted sets of a key's uploads; which of them is written, the upload says, and all are in the
--          slot of KEYS
--
-- Returns 1 when it was counted now, 0 when it need not be: it is counted, gone or being removed.
--
-- Idempotent by upload id: the entry among its key's uploads shows that it is counted.

local state, owner, size, held, createdAt =
  unpack(redis.call('HMGET', KEYS[1], 'state', 'owner', 'size', 'held', 'createdAt'))
if not owner or (state ~= 'kept' and not (state == 'open' and held)) then return 0 end
local bytes = tonumber(held or size or '0')
if redis.call('ZADD', ARGV[2] .. owner, 'NX', createdAt or '0', ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'held', string.format('%d', bytes))
redis.call('HINCRBY', KEYS[2], 'files', 1)
redis.call('HINCRBY', KEYS[2], 'bytes', string.format('%d', bytes))
redis.call('HINCRBY', KEYS[2], 'key:' .. owner, string.format('%d', bytes))
return 1
