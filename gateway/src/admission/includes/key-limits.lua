-- How far the key's limits are used, and which of them speaks against one request more.
--
-- Needs  what key-terms.lua gives; spent, dayCount (genuine-key.lua)
-- Gives  refusal  'queue_full', 'key_hour', 'key_day', 'credits' or 'concurrency'; nil where nothing does
--        what answer-with-limits.lua gives
--        hourCount, hourBase, hourOldest, hourNewest  the state of the key's hour, where it has one
--        today, DAY      the day as it is noted with its count, where the key has a limit by the day
--        isFirst         whether the key has nothing in flight

-- The last day and its count are one number, day * DAY + count: exact in a double, and read at once.
local DAY = 10000000000

hasTerms = terms ~= ''
if policy ~= '' and string.find(policy, '"finish"', 1, true) then finishes = 4 end
concurrency, hourLimit, dayLimit, credits, cap = places, perHourOfKey, perDay, total, tokens
charged = tonumber(spent or '0')
local hourCount, hourBase, hourOldest, hourNewest
if hourLimit >= 0 then
  hourUsed, hourCount, hourBase, hourOldest, hourNewest = lookAtWindow(keyHour, HOUR)
  hourReset = (hourOldest or second) + HOUR + 1
end
local today
if dayLimit >= 0 then
  today = math.floor(second / 86400) * DAY
  local last = tonumber(dayCount or '0')
  if last >= today and last < today + DAY then day = last - today end
end
flight = call('ZCARD', keyFlight)
local isFirst = flight == 0
-- Reservations whose time is over hold no place, whether or not the sweeper has come by to settle them.
if flight >= concurrency then flight = call('ZCOUNT', keyFlight, format('(%d', now), '+inf') end

local refusal
if call('LLEN', waiting) >= tonumber(mostWaiting) then refusal = 'queue_full'
elseif hourLimit >= 0 and hourUsed >= hourLimit then refusal = 'key_hour'
elseif dayLimit >= 0 and day >= dayLimit then refusal = 'key_day'
elseif credits >= 0 and charged >= credits then refusal = 'credits'
elseif flight >= concurrency then refusal = 'concurrency'
end
