-- Makes a sliding window older, as if all its requests had been earlier.
--
-- KEYS[1]  window
-- ARGV[1]  seconds by which
--
-- Returns nothing. Repeated, it makes the window older again.

--- @include <sliding-window>

for index = 0, call('LLEN', KEYS[1]) - 1 do
  local at, base, oldest, entries = unpackFrom(ENTRY, call('LINDEX', KEYS[1], index))
  call('LSET', KEYS[1], index, pack(ENTRY, at - ARGV[1], base, oldest - ARGV[1], entries))
end
