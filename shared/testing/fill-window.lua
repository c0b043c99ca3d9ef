-- Makes sliding windows hold so many requests, all of this second.
--
-- KEYS[1…] windows; whatever they held is gone
-- ARGV[1]  requests
--
-- Returns nothing. Repeated, it does the same.

--- @include <sliding-window>

for _, window in ipairs(KEYS) do
  call('DEL', window)
  addToWindow(window, HOUR, tonumber(ARGV[1]) - 1, 0)
end
