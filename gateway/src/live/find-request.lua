-- Finds a request for a caller who asks for its answer once more, and lets a gateway follow that answer as it grows.
--
-- KEYS[1]  request hash
-- KEYS[2]  flight of the caller's key
-- KEYS[3]  partial reasoning  string: masked, so far
-- KEYS[4]  partial text       string: masked, so far
-- KEYS[5]  followers          set of gateways that get the answer's frames beside the first one
-- KEYS[6]  job                hash of the queue's job
-- ARGV[1]  request id
-- ARGV[2]  record of the caller's key, as <settle-request> notes it
-- ARGV[3]  gateway that follows; '' for none, which wants the settlement alone
-- ARGV[4]  how long the set of followers is kept, ms
-- ARGV[5]  bytes: longer results, and texts that a gateway follows, are read by read-answer.lua, once for all of their readers
--
-- Returns { 'none' }                               there is no such request, or it is another key's, or too long ago
--         { 'settled', charge, JSON }              charge is 'charge' or 'refund'
--         { 'long settled' }                       with a longer result
--         { 'long open', beginning }               with longer texts
--         { 'open', beginning, reasoning, text }   the beginning of the job's data, '' where it is not in the queue; texts are
--                                                  '' where there are none yet, or where no gateway follows
--
-- Idempotent.

local call = redis.call
local request, flight, reasoning, text, followers, job = unpack(KEYS)
local id, owner, gateway, ttl, most = unpack(ARGV)
most = tonumber(most)
-- As much as holds what is short of a job (describeJob in generate.ts).
local BEGINNING = 1024

-- A long result is not even read: callers may ask for it again and again.
local length = call('HSTRLEN', request, 'result')
if length > 0 then
  local charge, settledFor = unpack(call('HMGET', request, 'charge', 'owner'))
  if settledFor ~= owner then return { 'none' } end
  if length > most then return { 'long settled' } end
  return { 'settled', charge, call('HGET', request, 'result') }
end
if not call('ZSCORE', flight, id) then return { 'none' } end
local data = string.sub(call('HGET', job, 'data') or '', 1, BEGINNING)
if gateway == '' then return { 'open', data, '', '' } end
call('SADD', followers, gateway)
call('PEXPIRE', followers, ttl)
if call('STRLEN', reasoning) + call('STRLEN', text) > most then return { 'long open', data } end
return { 'open', data, call('GET', reasoning) or '', call('GET', text) or '' }
