-- Counts a request under its address and judges its key, which it charges nothing: for uploads, and for keys that need no
-- look-up because none can be like that.
--
-- Takes the first 5 keys and 5 arguments of includes/input.lua.
-- Returns the answer of includes/answer-layouts.lua: 'counted' where the key is good, 'address_blocked',
-- 'address_limited', 'unknown_key', or why the key is not active; 'model' is not asked.
--
-- Repeated, it counts again.

--- @include "includes/input"
--- @include "includes/address-hour"
--- @include "includes/answer"

local ban, isFull = call('GET', addressBan), used >= tonumber(perHour)

local function dismiss(decision)
  countAddress()
  return answer(decision)
end

--- @include "includes/genuine-key"
--- @include "includes/judge-address"
--- @include "includes/refuse-bad-key"
--- @include "includes/key-terms"
--- @include "includes/key-networks"

return dismiss('counted')
