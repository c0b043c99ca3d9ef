-- Admits one request: counts it, reserves its place and enqueues its job; or refuses it: all or nothing, in one round trip.
--
-- Takes all 13 keys and 14 arguments of includes/input.lua.
-- Returns the answer of includes/answer-layouts.lua: 'admitted', or any refusal.
--
-- A refused request is never charged to a key. The address counts every request that its own limit lets through, good
-- or bad, unless the key is exempt from it. Idempotent by request id: repeated, it finds its reservation, or that it was settled, and changes nothing. The
-- reservation is the one entry in the key's flight: the process that takes it away, by settling, decides its charge. A job is
-- enqueued with its reservation and at no other time, so that neither is ever there alone.
--
-- What costs time here is the commands first, then their arguments and the closures. Numbers go to Redis as strings,
-- because Redis writes a number of Lua's with 17 digits first, at twice a command's cost.

--- @include "includes/input"
--- @include "includes/address-hour"
--- @include "includes/answer-with-limits"

-- Whether this request was admitted before. Asked where it would be refused; who is admitted learns it by the way.
local function isRepeated()
  return call('EXISTS', request) == 1 or call('ZSCORE', keyFlight, requestId) ~= false
end

-- One look for both, because most callers have neither a ban nor asked before.
local isKnown = call('EXISTS', addressBan, request) > 0
local isFull = used >= tonumber(perHour)
local isRepeat = (isKnown or isFull) and isRepeated()
local ban = isKnown and not isRepeat and call('GET', addressBan)
isFull = isFull and not isRepeat

-- Answers a request that gets no reservation. The address counts it all the same, once.
local function dismiss(decision)
  if not isRepeat and not isRepeated() then countAddress() end
  return answer(decision)
end

--- @include "includes/genuine-key"
--- @include "includes/judge-address"
--- @include "includes/refuse-bad-key"
--- @include "includes/key-terms"

if models ~= '' and models ~= model and not string.find(',' .. models .. ',', ',' .. model .. ',', 1, true) then
  return dismiss('model')
end

--- @include "includes/key-networks"
--- @include "includes/key-limits"

if refusal or isRepeat then
  if isRepeat or isRepeated() then return answer('admitted') end
  return dismiss(refusal)
end

-- The reservation has no expiry: it stays until it is settled, by the sweeper if by no other process.
local ends = format('%d', now + reservationMs)
if call('ZADD', keyFlight, 'NX', ends, requestId) == 0 then return answer('admitted') end
if isFirst then call('ZADD', keysInFlight, 'NX', ends, keyId) end
countAddress()
charged = charged + 1
flight = flight + 1
if hourLimit >= 0 then
  addToWindow(keyHour, HOUR, hourCount, hourBase, hourOldest, hourNewest)
  hourUsed = hourUsed + 1
end
if newTerms then call('HSET', keyRecord, PACKED_TERMS, newTerms) end
if dayLimit >= 0 then
  day = day + 1
  call('HSET', keyRecord, 'charged', format('%d', charged), 'dayCount', format('%d', today + day))
else
  call('HSET', keyRecord, 'charged', format('%d', charged))
end

local jobId, most = requestId, tonumber(askedTokens)
if tokens >= 0 and tokens < most then most = tokens end
local jobData = jobBeginning .. format('%d', most) .. policy .. '}'
--- @include <enqueue>
return answer('admitted')
