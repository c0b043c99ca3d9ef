-- Settles one request: the first settlement of a request id wins, and every later one changes nothing.
--
-- KEYS[1]  request hash        what rejoin.lua, note-start.lua and this script (`left`) keep of an unsettled request, and
--                              once it is settled, its result and charge
-- KEYS[2]  key's flight        sorted set of the key's reservations, the ids of its unsettled requests
-- KEYS[3]  key record          hash of the API key; its `charged` is given back on refund
-- KEYS[4]  inbox               stream of the gateway that waits (of any gateway, where ARGV[6] is 0)
-- ARGV[1]  request id
-- ARGV[2]  what the key pays where asking the model may have cost money; it pays nothing where it cannot have:
--          'charge'   the credit
--          'limited'  nothing while the key has free failures left in this hour, else the credit; the credit, too, where
--                     the caller has left
--          'refund'   nothing
-- ARGV[3]  the settlement, JSON, where the key pays; its text is masked
-- ARGV[4]  how long the result is kept, ms
-- ARGV[5]  fence: the attempt that settles, or 0 for a gateway or the sweeper
-- ARGV[6]  longest length of the inbox, or 0 to send no reply
-- ARGV[7]  channel to publish the request's id on, so that its worker stops; '' for none
-- ARGV[8]  '1' where the caller has got the answer that the request failed: a charge of an earlier settlement is given back
-- The rest is left out where the settlement itself says that the model did its work, as every answer does: the key pays.
-- KEYS[5]  job                 hash of the queue's job: its starts (`ats`), and how many of them have ended (`atm`)
-- KEYS[6]  job's lock          exists while a worker has the job
-- KEYS[7]  free failures       list: when failures that may have cost money were given back to the key, Unix ms
-- ARGV[9]  the settlement, JSON, where the key does not pay
-- ARGV[10] whether asking the model for this request may have cost money: 'yes', 'no', or 'look' for who cannot know: it
--          may where such a call is noted (`spent`), or a start of the job has not ended, or ended unseen, other than
--          those that are noted as handed back before the model was called (`returned`)
-- ARGV[11] free failures of a key in an hour
-- ARGV[12] '1' to leave a job that a worker has to that worker: the request is marked, and stays unsettled
--
-- Returns { 'settled', charge }         this call settled the request; charge is 'charge' or 'refund'
--         { 'already', charge, JSON }   it was settled before; the settlement that won
--         { 'in work' }                 a worker has the job, and settles it: it has been asked to stop
--         { 'fenced' }                  a later attempt has taken the job over; this one may not settle
--         { 'gone' }                    there is no such reservation (any more)
--
-- A free failure stands for two calls that may have cost money; each further one that rejoin.lua has let run counts as one
-- more (`beyond`), also where the caller has left.
--
-- Idempotent by request id: its reservation is taken away once, its free failures are counted with that, and its charge
-- becomes a refund once.

local HOUR_MS = 3600000

local function giveBack()
  if redis.call('EXISTS', KEYS[3]) == 1 then redis.call('HINCRBY', KEYS[3], 'charged', -1) end
end

local result, charge, latest = unpack(redis.call('HMGET', KEYS[1], 'result', 'charge', 'fence'))
if result then
  if ARGV[8] == '1' and charge == 'charge' then
    redis.call('HSET', KEYS[1], 'charge', 'refund')
    giveBack()
  end
  return { 'already', charge, result }
end
local fence = tonumber(ARGV[5])
if fence > 0 and tonumber(latest or '1') > fence then return { 'fenced' } end

if ARGV[12] == '1' and redis.call('EXISTS', KEYS[6]) == 1 then
  if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then return { 'gone' } end
  -- The worker is notified first, because that needs no memory: where Redis is at maxmemory the mark is refused, not this.
  redis.call('PUBLISH', ARGV[7], ARGV[1])
  redis.call('HSET', KEYS[1], 'left', '1')
  return { 'in work' }
end

-- First, because it needs no memory: a script that has begun to write may go on, so that this one runs even where Redis
-- is at maxmemory. What was admitted is bounded, its work is done, and settling it makes room.
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then return { 'gone' } end

-- Written out where it is needed, because closures take time to make and an answer needs none of this.
local terms = ARGV[2]
if KEYS[5] then
  local left, spent, returned, beyond = unpack(redis.call('HMGET', KEYS[1], 'left', 'spent', 'returned', 'beyond'))
  local mayHaveCost = ARGV[10] == 'yes'
  if ARGV[10] == 'look' then
    local started, ended = unpack(redis.call('HMGET', KEYS[5], 'ats', 'atm'))
    mayHaveCost = spent or tonumber(started or '0') > tonumber(ended or '0') + tonumber(returned or '0')
  end
  if not mayHaveCost then
    terms = 'refund'
  elseif terms == 'limited' or (terms == 'charge' and beyond) then
    local isPaid = left or terms == 'charge'
    terms = 'charge'
    local most = tonumber(ARGV[11])
    local wanted = (isPaid and 0 or 1) + tonumber(beyond or '0')
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    for count = math.min(wanted, most), 1, -1 do
      -- A true sliding hour with at most as many entries as failures are free: the oldest of them have to have left.
      local inTheWay = tonumber(redis.call('LINDEX', KEYS[7], string.format('%d', count - 1 - most)) or '0')
      -- One that is further ahead than the hour is from a clock that was wrong.
      if inTheWay <= now - HOUR_MS or inTheWay >= now + HOUR_MS then
        if count == wanted and not isPaid then terms = 'refund' end
        for _ = 1, count do redis.call('RPUSH', KEYS[7], string.format('%.0f', now)) end
        redis.call('LTRIM', KEYS[7], string.format('%d', -most), '-1')
        redis.call('PEXPIRE', KEYS[7], string.format('%d', HOUR_MS))
        break
      end
    end
  end
end

local settlement = terms == 'charge' and ARGV[3] or ARGV[9]
redis.call('HSET', KEYS[1], 'charge', terms, 'result', settlement)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
if terms == 'refund' then giveBack() end

if ARGV[6] ~= '0' then
  -- No stream, no gateway: a stopped gateway's inbox has expired, and must not come back without an expiry.
  redis.call('XADD', KEYS[4], 'NOMKSTREAM', 'MAXLEN', '~', ARGV[6], '*', 'id', ARGV[1], 'settlement', settlement)
end
if ARGV[7] ~= '' then redis.call('PUBLISH', ARGV[7], ARGV[1]) end
return { 'settled', terms }
