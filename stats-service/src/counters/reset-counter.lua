-- Notes where the counter of generation requests stands, so that "Total requests" starts at 0, with an entry in the audit
-- log. Redis TIME is the clock.
--
-- KEYS[1]  totals  hash of counters since installation
-- KEYS[2]  reset   hash: `at`, Unix ms, and `requests`
-- KEYS[3]  audit   stream, see shared/src/script-includes/note-audit.lua
-- ARGV[1]  head of the audit entry
--
-- Returns what the counter stood at. One step, because a request counted between reading and noting would be lost.
-- Repeated, it resets again.

--- @include <clock>
--- @include <note-audit>

local requests = redis.call('HGET', KEYS[1], 'requests') or '0'
local before = redis.call('HGET', KEYS[2], 'requests') or '0'
redis.call('HSET', KEYS[2], 'at', string.format('%.0f', now), 'requests', requests)
noteAudit(KEYS[3], ARGV[1], { subtracted = before }, { subtracted = requests })
return requests
