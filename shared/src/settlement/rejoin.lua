-- Asked by a worker that starts a job again (a retry, or the job of a worker that died): may it go on?
--
-- KEYS[1]  request hash
-- KEYS[2]  inbox               stream of the gateway that waits
-- ARGV[1]  request id
-- ARGV[2]  number of this start, from 2
-- ARGV[3]  longest length of the inbox
--
-- Returns 'run'      the request is unsettled; earlier starts are fenced off from now on
--         'settled'  it was settled before; the reply has been sent again, and the model must not be called
--         'gone'     there is no such reservation (any more): nobody waits
--
-- Idempotent: the fence only grows, and a repeated reply is recognised by its request id.

local state = redis.call('HMGET', KEYS[1], 'state', 'result', 'fence')
if not state[1] then return 'gone' end
if state[1] == 'settled' then
  redis.call('XADD', KEYS[2], 'NOMKSTREAM', 'MAXLEN', '~', ARGV[3], '*', 'id', ARGV[1], 'settlement', state[2])
  return 'settled'
end
if tonumber(ARGV[2]) > tonumber(state[3]) then redis.call('HSET', KEYS[1], 'fence', ARGV[2]) end
return 'run'
