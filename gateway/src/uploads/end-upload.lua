-- Ends an upload: hides it at once, so that its content can be removed from the storage afterwards. Until that is done
-- its id stays in the sorted set of open uploads, where the sweeper finds it, and its bytes count as taken.
--
-- KEYS[1]  upload      hash of the upload
-- KEYS[2]  open        sorted set: ids of uploads in work or being removed, by when their lease ends, Unix ms
-- KEYS[3]  statistics  hash: `files`, `bytes`, and `kind:<kind>` for each kind
-- KEYS[4]  day count   string: uploads of the address in the upload's day; read only for 'abandon'
-- ARGV[1]  upload id
-- ARGV[2]  'remove'   its owner wants it gone; the day's count stays
--          'expire'   it has been kept for as long as it may, or its key is no longer good; the day's count stays
--          'abandon'  it failed, or the outcome of keeping it is not known: the day's count is given back
-- ARGV[3]  id of the key that asks ('remove' alone)
--
-- Returns 'ended', or 'missing': there is no such upload, or it is not this key's.
--
-- Idempotent by upload id: statistics and count move once, when the upload goes to 'ending'.

local state, owner, kind, size = unpack(redis.call('HMGET', KEYS[1], 'state', 'owner', 'kind', 'size'))
if not state then return 'missing' end
if ARGV[2] == 'remove' and (state ~= 'kept' or owner ~= ARGV[3]) then return 'missing' end
if ARGV[2] == 'expire' and state ~= 'kept' then return 'missing' end
if state == 'ending' then return 'ended' end

redis.call('HSET', KEYS[1], 'state', 'ending')
redis.call('ZADD', KEYS[2], 0, ARGV[1])
if state == 'kept' then
  redis.call('HINCRBY', KEYS[3], 'files', -1)
  redis.call('HINCRBY', KEYS[3], 'bytes', -tonumber(size))
  redis.call('HINCRBY', KEYS[3], 'kind:' .. kind, -1)
end
-- A count of a day that has expired must not come back as a negative one.
if ARGV[2] == 'abandon' and tonumber(redis.call('GET', KEYS[4]) or '0') > 0 then redis.call('DECR', KEYS[4]) end
return 'ended'
