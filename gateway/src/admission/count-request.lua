-- Counts a request under its address, whatever its key; says whether that is genuine, so that it passes a ban on bad keys.
--
-- Takes the first 4 keys and 3 arguments of includes/input.lua.
-- Returns the answer of includes/answer-layouts.lua: 'counted', 'address_blocked' or 'address_limited'.
--
-- Repeated, it counts again.

--- @include "includes/input"
--- @include "includes/address-hour"
--- @include "includes/answer"

local ban, isFull = call('GET', addressBan), used >= tonumber(perHour)

--- @include "includes/genuine-key"
--- @include "includes/judge-address"

countAddress()
return answer('counted')
