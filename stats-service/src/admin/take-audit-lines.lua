-- Takes the entries of the audit log that no instance has logged as a line yet; one instance gets each.
--
-- KEYS[1]  log     stream, see shared/src/script-includes/note-audit.lua
-- KEYS[2]  logged  string: id of the last entry that was taken
-- ARGV[1]  entries at most
--
-- Returns the entries, oldest first, as XRANGE does. The first time that it is called only what comes later is taken: what
-- is there then has been changed under an earlier version, or was restored. Not idempotent: what was taken is not given
-- again.

local last = redis.call('GET', KEYS[2])
if not last then
  local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', '1')[1]
  redis.call('SET', KEYS[2], newest and newest[1] or '0-0')
  return {}
end
local entries = redis.call('XRANGE', KEYS[1], '(' .. last, '+', 'COUNT', ARGV[1])
if #entries > 0 then redis.call('SET', KEYS[2], entries[#entries][1]) end
return entries
