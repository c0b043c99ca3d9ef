-- Settles one request: the first settlement of a request id wins, and every later one changes nothing.
--
-- KEYS[1]  request hash        reservation and result of the request
-- KEYS[2]  reservations        sorted set of unsettled request ids
-- KEYS[3]  key record          hash of the API key; its `charged` is given back on refund
-- KEYS[4]  key's flight        sorted set of the key's requests in flight
-- KEYS[5]  inbox               stream of the gateway that waits (of any gateway, where ARGV[6] is 0)
-- ARGV[1]  request id
-- ARGV[2]  'charge' or 'refund'
-- ARGV[3]  the settlement, JSON; its text is masked
-- ARGV[4]  how long the result is kept, ms
-- ARGV[5]  fence: the attempt that settles, or 0 for a gateway or the sweeper
-- ARGV[6]  longest length of the inbox, or 0 to send no reply
-- ARGV[7]  channel to tell the request's id, so that its worker stops; '' for none
-- ARGV[8]  '1' where the caller has been told that the request failed: a charge of an earlier settlement is given back
--
-- Returns { 'settled' }           this call settled the request
--         { 'already', JSON }     it was settled before; the settlement that won
--         { 'fenced' }            a later attempt has taken the job over; this one may not settle
--         { 'gone' }              there is no such reservation (any more)
--
-- Idempotent by request id: the request hash goes from 'reserved' to 'settled' once, and its charge to a refund once.

local function giveBack()
  if redis.call('EXISTS', KEYS[3]) == 1 then redis.call('HINCRBY', KEYS[3], 'charged', -1) end
end

local state = redis.call('HMGET', KEYS[1], 'state', 'fence', 'result', 'charge')
if not state[1] then return { 'gone' } end
if state[1] == 'settled' then
  if ARGV[8] == '1' and state[4] == 'charge' then
    redis.call('HSET', KEYS[1], 'charge', 'refund')
    giveBack()
  end
  return { 'already', state[3] }
end
local fence = tonumber(ARGV[5])
if fence > 0 and tonumber(state[2]) > fence then return { 'fenced' } end

-- First, because it needs no memory: a script that has begun to write may go on, so that this one runs even where Redis
-- is at maxmemory. What was admitted is bounded, its work is done, and settling it makes room.
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[1], 'state', 'settled', 'charge', ARGV[2], 'result', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('ZREM', KEYS[4], ARGV[1])
if ARGV[2] == 'refund' then giveBack() end

if ARGV[6] ~= '0' then
  -- No stream, no gateway: a stopped gateway's inbox has expired, and must not come back without an expiry.
  redis.call('XADD', KEYS[5], 'NOMKSTREAM', 'MAXLEN', '~', ARGV[6], '*', 'id', ARGV[1], 'settlement', ARGV[3])
end
if ARGV[7] ~= '' then redis.call('PUBLISH', ARGV[7], ARGV[1]) end
return { 'settled' }
