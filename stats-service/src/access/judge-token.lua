-- Counts the wrong tokens of one address, and says whether it has to wait.
--
-- KEYS[1]  failures   string with expiry: wrong tokens of the address
-- ARGV[1]  the token that came: 'right' or 'wrong'
-- ARGV[2]  wrong tokens before the address has to wait
-- ARGV[3]  how long they are remembered from the first of them on, ms
--
-- Returns 0   the token counts for what it is; a wrong one has been counted
--         ms  the address has to wait for this long, with a right token too; nothing has been counted
--
-- One step, because guesses that come side by side would all find the counter below its bound. Nor is a right token
-- ever counted. Repeated, it counts a wrong token again.

if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[2]) then
  return math.max(1, redis.call('PTTL', KEYS[1]))
end
if ARGV[1] == 'wrong' and redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return 0
