-- Finds a session, and notes now and then that it was seen. Redis TIME is the clock.
--
-- KEYS[1]  sessions  hash, see open-session.lua
-- ARGV[1]  digest of the cookie
-- ARGV[2]  address that it came from
-- ARGV[3]  how old the note of when it was seen may become, ms
--
-- Returns when the session ends, Unix ms as text; nothing where it has ended, never was, or is another address's.
-- Repeating it changes nothing.

local record = redis.call('HGET', KEYS[1], ARGV[1])
if not record then return false end
local address, began, seen, ends, way = string.match(record, '^(%S+) (%d+) (%d+) (%d+) (%w+)$')
if address ~= ARGV[2] then return false end

--- @include <clock>

if tonumber(ends) <= now then return false end
if now - seen >= tonumber(ARGV[3]) then
  -- A Redis that is full or read-only refuses this; the operator needs the dashboard then more than ever.
  redis.pcall('HSET', KEYS[1], ARGV[1], string.format('%s %s %.0f %s %s', address, began, now, ends, way))
end
return ends
