-- Holds the queue of jobs, or lets it go on, as BullMQ's pause and resume do, with an entry in the audit log. Redis TIME
-- is the clock.
--
-- KEYS[1]  marker     see shared/src/queue/queue-keys.ts
-- KEYS[2]  queueMeta  the same
-- KEYS[3]  audit      stream, see script-includes/note-audit.lua
-- ARGV[1]  'pause' or 'resume'
-- ARGV[2]  head of the audit entry
--
-- Returns 1 where that changed anything, else 0, which is not noted.

--- @include <clock>
--- @include <note-audit>

local marker, queueMeta, log = unpack(KEYS)
local isPaused = redis.call('HEXISTS', queueMeta, 'paused') == 1
if isPaused == (ARGV[1] == 'pause') then return 0 end

if isPaused then
  redis.call('HDEL', queueMeta, 'paused')
  -- Idle workers block on the marker. One that finds no job goes by when the next delayed one is due.
  redis.call('ZADD', marker, '0', '0')
else
  redis.call('HSET', queueMeta, 'paused', '1')
  redis.call('DEL', marker)
end
local function state(paused) return { state = paused and 'paused' or 'running' } end
noteAudit(log, ARGV[2], state(isPaused), state(not isPaused))
return 1
