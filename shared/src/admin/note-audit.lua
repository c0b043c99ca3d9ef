-- Appends an entry to the audit log for what is no script of ours, or was refused. Redis TIME is the clock.
--
-- KEYS[1]  log      stream, see script-includes/note-audit.lua
-- KEYS[2]  refused  string with expiry: such an entry is there already; the log again where every one is to be noted
-- ARGV[1]  head of the entry
-- ARGV[2]  what is noted with it: JSON of name to text, '' for nothing
-- ARGV[3]  how long another one like it is left out, ms; 0 for never
--
-- Returns 1 where it was noted, 0 where one like it is there. Repeated with 0 it is noted again.

--- @include <clock>
--- @include <note-audit>

if ARGV[3] ~= '0' and not redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[3]) then return 0 end
noteAudit(KEYS[1], ARGV[1], nil, ARGV[2] ~= '' and cjson.decode(ARGV[2]) or nil)
return 1
