-- How many requests some keys made within the hour. Counts nothing.
--
-- KEYS  keyHour of each key: sliding window of its requests
--
-- Returns the count of each, in their order.

--- @include <window-state>

local used = {}
for index, key in ipairs(KEYS) do
  used[index] = (lookAtWindow(key, HOUR))
end
return used
