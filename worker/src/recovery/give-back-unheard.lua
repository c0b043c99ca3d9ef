-- Gives back jobs that a worker took without hearing of it, because the reply of the take was lost: to the front of the queue,
-- the oldest first, as if they had not been taken.
--
-- KEYS[1…5]  waiting, active, stalled, marker and meta of the queue: see shared/src/queue/queue-keys.ts
-- ARGV[1]    what the keys of the queue's jobs begin with
-- ARGV[2]    number of locks
-- ARGV[3]    for how long takes under these locks take nothing that run from now on, ms; 0 where none can
-- ARGV[4…]   the locks of the takes, of which no further reply can come; then the ids of the jobs that their replies brought
--
-- Returns the ids of the jobs that were given back.
--
-- Idempotent: a job is given back with its lock.

local call = redis.call
local waiting, active, stalled, marker, queueMeta = unpack(KEYS)
local FIRST = 3
local jobPrefix, lockCount, voidMs = unpack(ARGV, 1, FIRST)

--- @include <locked-jobs>
--- @include <give-back-job>

local isTake, isHeard = {}, {}
for i = FIRST + 1, FIRST + lockCount do
  isTake[ARGV[i]] = true
  if voidMs ~= '0' then call('SET', jobPrefix .. 'void:' .. ARGV[i], '1', 'PX', voidMs) end
end
for i = FIRST + lockCount + 1, #ARGV do isHeard[ARGV[i]] = true end

local unheard = lockedJobs(function(lock, id) return isTake[lock] and not isHeard[id] end)
for _, id in ipairs(unheard) do giveBackJob(id, jobPrefix .. id, jobPrefix .. id .. ':lock') end
if #unheard > 0 then wakeWorkers() end
return unheard
