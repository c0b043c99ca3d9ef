-- Settles one request, for a gateway, the sweeper, or a worker that gives up a job: see <settle-request> for what that is.
-- Workers settle what they have worked on by turn.lua.
--
-- KEYS[1]  request hash
-- KEYS[2]  key's flight
-- KEYS[3]  key record
-- KEYS[4]  inbox               stream of the gateway that waits (of any gateway, where no reply is sent)
-- KEYS[5]  inbox bytes
-- KEYS[6…8]  partial text, partial reasoning, followers: what a stream leaves behind
-- ARGV[1]  request id
-- ARGV[2]  terms
-- ARGV[3]  the settlement, JSON, where the key pays
-- ARGV[4]  how long the result is kept, ms
-- ARGV[5]  fence
-- ARGV[6]  '1' to send the reply
-- ARGV[7]  channel to publish the request's id on, so that its worker stops, and its job is begun no more; '' for none
-- ARGV[8]  '1' where the caller has been told that the request failed and was not charged: a charge of an earlier settlement
--          is given back, and the terms are 'refund'
-- The rest is left out where the settlement itself says that the model did its work.
-- KEYS[9]  job                 hash of the queue's job
-- KEYS[10] job's lock          exists while a worker has the job
-- KEYS[11] free failures
-- KEYS[12] waiting             list: the queue's waiting jobs
-- ARGV[9]  the settlement, JSON, where the key does not pay
-- ARGV[10] cost
-- ARGV[11] free failures of a key in an hour
-- ARGV[12] '1' to leave a job that a worker has to that worker: the request is marked, and stays unsettled
--
-- Returns { 'settled', charge }         this call settled the request; charge is 'charge' or 'refund'
--         { 'already', charge, JSON }   it was settled before; the settlement that won
--         { 'in work' }                 a worker has the job, and settles it: it has been asked to stop
--         { 'fenced' }                  a later attempt has taken the job over; this one may not settle
--         { 'gone' }                    there is no such reservation (any more)
--
-- Idempotent by request id; its charge becomes a refund once.

--- @include <settle-request>
--- @include <send-replies>

local request, flight, keyRecord, inbox, inboxBytes = unpack(KEYS, 1, 5)
local job, lock, freeFailures, waiting = unpack(KEYS, 9)
local id, terms, paid, ttl, fence, replies, channel, takeBack, unpaid, cost, mostFree, leave = unpack(ARGV)

if leave == '1' and call('HEXISTS', request, 'result') == 0 and call('EXISTS', lock) == 1 then
  if not call('ZSCORE', flight, id) then return { 'gone' } end
  -- The worker is notified first, because that needs no memory: where Redis is at maxmemory the mark is refused, not this.
  call('PUBLISH', channel, id)
  call('HSET', request, 'left', '1')
  return { 'in work' }
end

local outcome, charge, settlement =
  settleRequest(request, flight, keyRecord, job, freeFailures, id, terms, paid, ttl, fence, unpaid, cost, mostFree)
if outcome == 'already' then
  if takeBack == '1' and charge == 'charge' then
    call('HSET', request, 'charge', 'refund')
    giveBack(keyRecord)
  end
  return { outcome, charge, settlement }
end
if outcome ~= 'settled' then return { outcome } end
call('DEL', unpack(KEYS, 6, 8))
if replies == '1' then sendReplies(inbox, inboxBytes, { 'id', id, 'settlement', settlement }, #settlement) end
if channel ~= '' then
  call('PUBLISH', channel, id)
  -- Else a worker could take it before its gateway has removed it, and ask the model for nothing: a first start asks nobody.
  if waiting then call('LREM', waiting, '1', id) end
end
return { outcome, charge }
