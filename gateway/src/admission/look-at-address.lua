-- Gives the hour of an address, banned or not; counts and judges nothing (health).
--
-- Takes the first key of includes/input.lua, and no arguments.
-- Returns the answer of includes/answer-layouts.lua: always 'counted'.

--- @include "includes/input"
--- @include "includes/address-hour"
--- @include "includes/answer"

return answer('counted')
