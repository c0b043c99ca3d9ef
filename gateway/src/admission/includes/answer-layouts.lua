-- What admission's scripts return: one packed string, because a table of as many numbers takes Redis a microsecond longer.
-- It is read by admission-answer.ts.
--
-- Gives  SHORT and LONG, which is for a key that has terms of its own. Both end with the decision and a zero byte.
--   decision  'admitted', 'counted', 'address_blocked', 'address_limited', 'unknown_key', 'queue_full',
--             'key_hour', 'key_day', 'credits', 'concurrency', or why the key is not active:
--             'revoked', 'expired', 'model', 'address'
--   key       1 where the key exists and was proven, plus 2 where it is exempt from the hour of addresses, plus 4 where its
--             jobs go on when their caller has left
--   now       Unix ms; resets are Unix seconds; limits and caps are -1 where there is none

-- 0, key, now, address used, address reset, in flight, concurrency, seconds until a block ends (-1: never), decision
local SHORT = '>BBdI4I4I4di4s'
-- 1, key, now, address used, address reset, in flight, concurrency,
-- hour used, hour limit, hour reset, day used, day limit, charged, credits, output-token cap, decision
local LONG = '>BBdI4I4I4dI4dI4I4dddds'
