-- Judges a key alone, for paths outside /api/, which no hour counts: as check-key.lua, with nothing counted but bad keys.
--
-- Takes the first 5 keys and 5 arguments of includes/input.lua.
-- Returns the answer of includes/answer-layouts.lua: 'counted' where the key is good, 'address_blocked', 'unknown_key', or
-- why the key is not active; 'model' is not asked.
--
-- Repeated with a bad key, it counts that again.

--- @include "includes/input"
--- @include "includes/address-hour"
--- @include "includes/answer"

local ban, isFull = call('GET', addressBan), false
local dismiss = answer

--- @include "includes/genuine-key"
--- @include "includes/judge-address"
--- @include "includes/refuse-bad-key"
--- @include "includes/key-terms"
--- @include "includes/key-networks"

return answer('counted')
