-- Takes one of an address's uploads of the day, or refuses.
--
-- KEYS[1]  day count   string: uploads of the address in this UTC day, those in work included
-- KEYS[2]  upload      hash of the upload
-- KEYS[3]  open        sorted set: ids of uploads in work or being removed, by when their lease ends, Unix ms
-- ARGV[1]  upload id
-- ARGV[2]  uploads that the address may make in a day
-- ARGV[3]  when the lease ends, Unix ms
-- ARGV[4]  UTC day of the count
-- ARGV[5]  address of the count
--
-- Returns { 1, used } when the upload may go on, { 0, used } when the day is used up; `used` includes this upload.
--
-- Idempotent by upload id: a repeated call finds the upload open and counts nothing.

local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if redis.call('EXISTS', KEYS[2]) == 1 then return { 1, used } end
if used >= tonumber(ARGV[2]) then return { 0, used } end
used = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], 172800)
redis.call('HSET', KEYS[2], 'state', 'open', 'day', ARGV[4], 'address', ARGV[5])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[1])
return { 1, used }
