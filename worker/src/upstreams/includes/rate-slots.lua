-- Calls and tokens of a minute, in slots of ten seconds: never more than so many in any 60 seconds.
--
-- Needs  call
-- Gives  addRate(rates, what, count, now)               counts; `what` is `c` for calls, `t` for tokens
--        rateWait(rates, what, wanted, most, now)       how long until so many more are free, ms; 0 where they are
--
-- A request that alone is more than the whole minute's is let go when nothing else was counted in it.

local RATE_SLOT_MS, RATE_SLOTS = 10000, 7
local RATES_KEPT_MS = '120000'

local function addRate(rates, what, count, now)
  local slot = math.floor(now / RATE_SLOT_MS)
  local sum = call('HINCRBY', rates, what .. string.format('%.0f', slot), string.format('%.0f', count))
  if sum ~= count then return end
  -- The first of its slot: those that are over can go.
  for _, field in ipairs(call('HKEYS', rates)) do
    if tonumber(string.sub(field, 2)) <= slot - RATE_SLOTS then call('HDEL', rates, field) end
  end
  call('PEXPIRE', rates, RATES_KEPT_MS)
end

local function rateWait(rates, what, wanted, most, now)
  local slot = math.floor(now / RATE_SLOT_MS)
  local fields = {}
  for i = RATE_SLOTS - 1, 0, -1 do fields[#fields + 1] = what .. string.format('%.0f', slot - i) end
  local counts, sum = call('HMGET', rates, unpack(fields)), 0
  for i = 1, RATE_SLOTS do
    counts[i] = tonumber(counts[i] or '0')
    sum = sum + counts[i]
  end
  if sum <= 0 or sum + wanted <= most then return 0 end
  for i = 1, RATE_SLOTS do
    sum = sum - counts[i]
    if sum <= 0 or sum + wanted <= most then return (slot + i) * RATE_SLOT_MS - now end
  end
  return 0
end
