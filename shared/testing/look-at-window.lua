-- Tells how many requests a sliding window holds now.
--
-- KEYS[1]  window
--
-- Returns their number. Drops what has left, as every look does.

--- @include <sliding-window>

return (lookAtWindow(KEYS[1], HOUR))
