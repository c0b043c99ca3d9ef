-- Renews the locks of jobs that a worker has in work.
--
-- A lock may have ended although its worker is well: while Redis or the machine stood still, it could not be renewed. Where the job
-- was neither taken back nor taken again since, it is locked anew and stays where it is.
--
-- KEYS[1]  stalled  set, see shared/src/queue/queue-keys.ts
-- ARGV[1]  what the keys of the queue's jobs begin with
-- ARGV[2]  how long a lock lasts, ms
-- then for each job  its id, its lock, how often it had been started and how often lost when the worker took it
--
-- Returns the ids of the jobs that are another start's by now, or will be, or are gone.
--
-- Idempotent.

local call = redis.call
local jobPrefix, lockMs = unpack(ARGV, 1, 2)
local FIRST, PER_JOB = 2, 4

-- Each take counts a start, and each time that a job is taken back counts a loss.
local function isSameStart(job, starts, losses)
  local started, lost = unpack(call('HMGET', job, 'ats', 'stc'))
  return started == starts and (lost or '0') == losses
end

local lost = {}
for at = FIRST + 1, #ARGV, PER_JOB do
  local id, lock, starts, losses = unpack(ARGV, at, at + PER_JOB - 1)
  local job = jobPrefix .. id
  local holder = call('GET', job .. ':lock')
  if holder == lock or (not holder and isSameStart(job, starts, losses)) then
    call('SET', job .. ':lock', lock, 'PX', lockMs)
    call('SREM', KEYS[1], id)
  else
    lost[#lost + 1] = id
  end
end
return lost
