-- How a script answers that looks at a key's limits too.
--
-- Needs  used, oldest and exempt (address-hour.lua)
-- Gives  genuine, answer(decision, blockedFor)  as in answer.lua
--        what else it holds, to be filled in by key-limits.lua

--- @include "answer-layouts"

local genuine, finishes, flight, concurrency = 0, 0, 0, -1
local hasTerms, hourLimit, dayLimit, credits, cap = false, -1, -1, -1, -1
local hourUsed, hourReset, day, charged = 0, 0, 0, 0

local function answer(decision, blockedFor)
  local reset = (oldest or second) + HOUR + 1
  if not hasTerms then
    return pack(SHORT, 0, genuine + exempt, now, used, reset, flight, concurrency, blockedFor or 0, decision)
  end
  return pack(LONG, 1, genuine + exempt + finishes, now, used, reset, flight, concurrency,
    hourUsed, hourLimit, hourReset, day, dayLimit, charged, credits, cap, decision)
end
