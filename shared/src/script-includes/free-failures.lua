-- The free failures of a key: how often what may have cost money was given back to it, at most so often in any hour.
--
-- Needs  call, format
-- Gives  hasFree(freeFailures, wanted, most, now)  whether the key has so many left
--        useFree(freeFailures, count, most, now)   uses them up; they have to be left
--
--   freeFailures  list: when each was used, Unix ms
--   most          free failures of a key in an hour
--
-- A true sliding hour with at most as many entries as failures are free: the oldest of them have to have left.

local FREE_FOR_MS = 3600000

local function hasFree(freeFailures, wanted, most, now)
  if wanted > most then return false end
  local inTheWay = tonumber(call('LINDEX', freeFailures, format('%d', wanted - 1 - most)) or '0')
  -- One that is further ahead than the hour is from a clock that was wrong.
  return inTheWay <= now - FREE_FOR_MS or inTheWay >= now + FREE_FOR_MS
end

local function useFree(freeFailures, count, most, now)
  for _ = 1, count do call('RPUSH', freeFailures, format('%.0f', now)) end
  call('LTRIM', freeFailures, format('%d', -most), '-1')
  call('PEXPIRE', freeFailures, format('%d', FREE_FOR_MS))
end
