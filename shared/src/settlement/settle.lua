-- Settles one request: the first settlement of a request id wins, and every later one changes nothing.
--
-- KEYS[1]  request hash        the request's fence and, once it is settled, its result
-- KEYS[2]  key's flight        sorted set of the key's reservations, the ids of its unsettled requests
-- KEYS[3]  key record          hash of the API key; its `charged` is given back on refund
-- KEYS[4]  inbox               stream of the gateway that waits (of any gateway, where ARGV[6] is 0)
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
-- Idempotent by request id: its reservation is taken away once, and its charge becomes a refund once.

local function giveBack()
  if redis.call('EXISTS', KEYS[3]) == 1 then redis.call('HINCRBY', KEYS[3], 'charged', -1) end
end

local result, charge, latest = unpack(redis.call('HMGET', KEYS[1], 'result', 'charge', 'fence'))
if result then
  if ARGV[8] == '1' and charge == 'charge' then
    redis.call('HSET', KEYS[1], 'charge', 'refund')
    giveBack()
  end
  return { 'already', result }
end
local fence = tonumber(ARGV[5])
if fence > 0 and tonumber(latest or '1') > fence then return { 'fenced' } end

-- First, because it needs no memory: a script that has begun to write may go on, so that this one runs even where Redis
-- is at maxmemory. What was admitted is bounded, its work is done, and settling it makes room.
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then return { 'gone' } end
redis.call('HSET', KEYS[1], 'charge', ARGV[2], 'result', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
if ARGV[2] == 'refund' then giveBack() end

if ARGV[6] ~= '0' then
  -- No stream, no gateway: a stopped gateway's inbox has expired, and must not come back without an expiry.
  redis.call('XADD', KEYS[4], 'NOMKSTREAM', 'MAXLEN', '~', ARGV[6], '*', 'id', ARGV[1], 'settlement', ARGV[3])
end
if ARGV[7] ~= '' then redis.call('PUBLISH', ARGV[7], ARGV[1]) end
return { 'settled' }
