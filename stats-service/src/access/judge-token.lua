-- Counts the tokens that come from one address and in all, and says whether the address has to wait.
--
-- KEYS[1]  failures  string with expiry: wrong tokens of the address
-- KEYS[2]  tries     string with expiry: sign-ins of the address, whatever came of them
-- KEYS[3]  all       string with expiry: sign-ins of all addresses
-- ARGV[1]  the token that came: 'right' or 'wrong'
-- ARGV[2]  'sign-in', or 'check' for a right that is shown with a request and opens no session
-- ARGV[3]  wrong tokens, and ARGV[4] sign-ins, before the address has to wait
-- ARGV[5]  how long these two are remembered from the first of them on, ms
-- ARGV[6]  sign-ins of all addresses before all have to wait
-- ARGV[7]  how long these are remembered from the first of them on, ms
--
-- Returns { 0 }          the token counts for what it is; a wrong one, and a sign-in, has been counted
--         { ms, limit }  the address has to wait for this long, with a right token too, because this many were counted;
--                        nothing has been counted
--
-- One step, because guesses that come side by side would all find the counter below its bound. Nor is a right token
-- ever counted as a failure. Repeated, it counts again.

local longest, limit = 0, 0
for index, most in ipairs({ tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[6]) }) do
  if tonumber(redis.call('GET', KEYS[index]) or '0') >= most then
    local left = math.max(1, redis.call('PTTL', KEYS[index]))
    if left > longest then longest, limit = left, most end
  end
end
if longest > 0 then return { longest, limit } end

local function count(key, forMs)
  if redis.call('INCR', key) == 1 then redis.call('PEXPIRE', key, forMs) end
end

if ARGV[1] == 'wrong' then count(KEYS[1], ARGV[5]) end
if ARGV[1] == 'wrong' or ARGV[2] == 'sign-in' then
  count(KEYS[2], ARGV[5])
  count(KEYS[3], ARGV[7])
end
return { 0 }
