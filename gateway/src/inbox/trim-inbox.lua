-- Takes out of an inbox what its gateway has read.
--
-- KEYS[1]  inbox        stream
-- KEYS[2]  inbox bytes  string: bytes of replies in the stream, less what the gateway has read
-- ARGV[1]  id of the last entry that was read
-- ARGV[2]  bytes that were read since the last time
--
-- Returns the bytes that are left.
--
-- Not idempotent: repeated, it counts too few bytes, and the inbox may hold as many more, once.

redis.call('XTRIM', KEYS[1], 'MINID', '=', ARGV[1])
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
local left = redis.call('INCRBY', KEYS[2], '-' .. ARGV[2])
-- Replies of workers that do not count them, or an inbox that was emptied because it was full.
if left < 0 then
  redis.call('SET', KEYS[2], '0', 'KEEPTTL')
  left = 0
end
return left
