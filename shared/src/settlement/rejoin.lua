-- Asked by a worker that starts a job again (a retry, or the job of a worker that died): may it go on?
--
-- KEYS[1]  request hash
-- KEYS[2]  key's flight        sorted set of the key's reservations
-- KEYS[3]  inbox               stream of the gateway that waits
-- ARGV[1]  request id
-- ARGV[2]  number of this start, from 2
-- ARGV[3]  longest length of the inbox
--
-- Returns 'run'      the request is unsettled; earlier starts are fenced off from now on
--         'settled'  it was settled before; the reply has been sent again, and the model must not be called
--         'gone'     there is no such reservation (any more): nobody waits
--
-- Idempotent: the fence only grows, and a repeated reply is recognised by its request id.

local result, fence = unpack(redis.call('HMGET', KEYS[1], 'result', 'fence'))
if result then
  redis.call('XADD', KEYS[3], 'NOMKSTREAM', 'MAXLEN', '~', ARGV[3], '*', 'id', ARGV[1], 'settlement', result)
  return 'settled'
end
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 'gone' end
if tonumber(ARGV[2]) > tonumber(fence or '1') then redis.call('HSET', KEYS[1], 'fence', ARGV[2]) end
return 'run'
