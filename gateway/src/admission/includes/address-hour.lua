-- The hour of the caller's address, which counts every request that it lets through, good or bad, but those of keys that
-- are exempt from it.
--
-- Needs  addressHour (input.lua)
-- Gives  used            the address's requests of the hour
--        oldest          their first second; nil where there is none
--        exempt          2 where this request's key is exempt (genuine-key.lua), else 0
--        countAddress()  counts this request

--- @include <sliding-window>

local used, count, base, oldest, newest = lookAtWindow(addressHour, HOUR)

local exempt = 0

local function countAddress()
  if exempt ~= 0 then return end
  addToWindow(addressHour, HOUR, count, base, oldest, newest)
  used = used + 1
end
