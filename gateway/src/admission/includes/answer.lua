-- How a script answers that does not look at a key's limits.
--
-- Needs  used, oldest and exempt (address-hour.lua)
-- Gives  genuine                       1 once the key was proven (genuine-key.lua)
--        answer(decision, blockedFor)  what the script returns; blockedFor: seconds, of 'address_blocked'

--- @include "answer-layouts"

local genuine = 0

-- A window holds one less when its oldest second leaves; an empty one, when a request made now would.
local function answer(decision, blockedFor)
  return pack(SHORT, 0, genuine + exempt, now, used, (oldest or second) + HOUR + 1, 0, -1, blockedFor or 0, decision)
end
