-- Takes a one-time code; the first client has it. Redis TIME is the clock.
--
-- KEYS[1]  codes  sorted set: SHA-256 of one-time codes, by when they end, Unix ms
-- ARGV[1]  SHA-256 of the code that came
--
-- Returns 1 where it was good, else 0. Not idempotent: the code is gone.

--- @include <clock>

local ends = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not ends then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
return tonumber(ends) > now and 1 or 0
