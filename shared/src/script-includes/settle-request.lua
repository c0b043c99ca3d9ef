-- Settles one request: the first settlement of a request id wins, and every later one changes nothing.
--
-- Gives  settleRequest(keys and what is settled, see below), which returns
--          'settled', charge, JSON   it was settled now; charge is 'charge' or 'refund'
--          'already', charge, JSON   it was settled before: the settlement that won
--          'fenced'                  a later start of the job has taken the request over; this one may not settle
--          'gone'                    there is no such reservation (any more)
--        giveBack(keyRecord)         takes a charge off a key
--        call, format
--
--   request       hash: what rejoin.lua, note-start.lua and settle.lua (`left`) keep of an unsettled request, and once it
--                 is settled, its result, its charge and its owner: the record of the key that it was asked with
--   flight        sorted set of the key's reservations, the ids of its unsettled requests
--   keyRecord     hash of the API key; its `charged` is given back on refund
--   job           hash of the queue's job: its starts (`ats`), and how many of them have ended (`atm`)
--   freeFailures  list: when failures that may have cost money were given back to the key, Unix ms
--   id            of the request
--   terms         what the key pays where asking the model may have cost money; it pays nothing where it cannot have:
--                 'charge'   the credit
--                 'limited'  nothing while the key has free failures left in this hour, else the credit; the credit, too,
--                            where the caller has left
--                 'refund'   nothing
--   paid          the settlement, JSON, where the key pays; its text is masked
--   ttl           how long the result is kept, ms
--   fence         the start that settles, or 0 for a gateway or the sweeper
--   unpaid        the settlement, JSON, where the key does not pay; nil or '' where the settlement itself says that the
--                 model did its work, as every answer does: the key pays, and what follows is of no interest
--   cost          whether asking the model for this request may have cost money: 'yes', 'no', or 'look' for who cannot
--                 know: it may where such a call is noted (`spent`), or a start of the job has not ended, or ended unseen,
--                 other than those that are noted as handed back before the model was called (`returned`)
--   mostFree      free failures of a key in an hour
--   prepared      hash that has the settlement, for which the key pays, as its `result`: it takes the request's place; nil
--                 where there is none
--
-- A free failure stands for two calls that may have cost money; each further one that rejoin.lua has let run counts as one
-- more (`beyond`), also where the caller has left.
--
-- Idempotent by request id: its reservation is taken away once, and its free failures are counted with that.

local call, format = redis.call, string.format
--- @include <free-failures>

local function giveBack(keyRecord)
  if call('EXISTS', keyRecord) == 1 then call('HINCRBY', keyRecord, 'charged', '-1') end
end

-- What the key pays for an outcome that does not say by itself that the model did its work.
local function judgeCost(request, job, freeFailures, terms, cost, mostFree)
  local left, spent, returned, beyond = unpack(call('HMGET', request, 'left', 'spent', 'returned', 'beyond'))
  local mayHaveCost = cost == 'yes'
  if cost == 'look' then
    local started, ended = unpack(call('HMGET', job, 'ats', 'atm'))
    mayHaveCost = spent or tonumber(started or '0') > tonumber(ended or '0') + tonumber(returned or '0')
  end
  if not mayHaveCost then return 'refund' end
  if terms ~= 'limited' and not (terms == 'charge' and beyond) then return terms end
  local isPaid = left or terms == 'charge'
  local most = tonumber(mostFree)
  local wanted = (isPaid and 0 or 1) + tonumber(beyond or '0')
  local time = call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  for count = math.min(wanted, most), 1, -1 do
    if hasFree(freeFailures, count, most, now) then
      useFree(freeFailures, count, most, now)
      return count == wanted and not isPaid and 'refund' or 'charge'
    end
  end
  return 'charge'
end

local function settleRequest(request, flight, keyRecord, job, freeFailures, id, terms, paid, ttl, fence, unpaid, cost, mostFree, prepared)
  local result, charge, latest = unpack(call('HMGET', request, 'result', 'charge', 'fence'))
  if result then return 'already', charge, result end
  fence = tonumber(fence)
  if fence > 0 and tonumber(latest or '1') > fence then return 'fenced' end
  -- First, because it needs no memory: a script that has begun to write may go on, so that this one runs even where Redis
  -- is at maxmemory. What was admitted is bounded, its work is done, and settling it makes room.
  if call('ZREM', flight, id) == 0 then return 'gone' end
  if unpaid and unpaid ~= '' then terms = judgeCost(request, job, freeFailures, terms, cost, mostFree) end
  local settlement = terms == 'charge' and paid or unpaid
  if prepared then
    local noted = call('HGETALL', request)
    call('HSET', prepared, 'charge', terms, 'owner', keyRecord, unpack(noted))
    call('RENAME', prepared, request)
  else
    call('HSET', request, 'charge', terms, 'owner', keyRecord, 'result', settlement)
  end
  call('PEXPIRE', request, ttl)
  if terms == 'refund' then giveBack(keyRecord) end
  return 'settled', terms, settlement
end
