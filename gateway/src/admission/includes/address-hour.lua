-- The hour of the caller's address, which counts every request that it lets through, good or bad.
--
-- Needs  addressHour (input.lua)
-- Gives  used            the address's requests of the hour
--        oldest          their first second; nil where there is none
--        countAddress()  counts this request

--- @include <sliding-window>

local used, count, base, oldest, newest = lookAtWindow(addressHour, HOUR)

local function countAddress()
  addToWindow(addressHour, HOUR, count, base, oldest, newest)
  used = used + 1
end
