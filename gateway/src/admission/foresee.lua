-- Judges a request by its head as admit.lua would for any model, before its body is here.
--
-- Takes the first 8 keys and 6 arguments of includes/input.lua.
-- Returns the answer of includes/answer-layouts.lua: 'counted' where it may go on, or any refusal but 'model'.
--
-- A refused request counts for its address. Nothing is counted of one that may go on: it is asked about again when its
-- body is here. Repeated, it counts again.

--- @include "includes/input"
--- @include "includes/address-hour"
--- @include "includes/answer-with-limits"

local ban, isFull = call('GET', addressBan), used >= tonumber(perHour)

local function dismiss(decision)
  countAddress()
  return answer(decision)
end

--- @include "includes/genuine-key"
--- @include "includes/judge-address"

-- Its key may be in the body, which has not been read.
if keyHash == '' then return answer('counted') end

--- @include "includes/refuse-bad-key"
--- @include "includes/key-terms"
--- @include "includes/key-networks"
--- @include "includes/key-limits"

if refusal then return dismiss(refusal) end
return answer('counted')
