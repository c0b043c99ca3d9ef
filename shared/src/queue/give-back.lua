-- Gives back jobs that a worker took and never started: to the front of the queue, as if they had not been taken.
--
-- KEYS[1]  waiting  list
-- KEYS[2]  active   list
-- KEYS[3]  stalled  set
-- KEYS[4]  marker   sorted set
-- KEYS[5]  meta     hash
-- then for each job, the one that was to be next first: its hash, its lock
-- ARGV[1]  the lock of the first job, ARGV[2] its id, and so on
--
-- Returns how many were given back. A job whose lock has ended, or is another start's, is left alone.
--
-- Idempotent.

local call = redis.call
local waiting, active, stalled, marker, queueMeta = unpack(KEYS, 1, 5)
local FIRST, count = 5, 0

--- @include <give-back-job>

for number = #ARGV / 2, 1, -1 do
  local job, jobLock = unpack(KEYS, FIRST + 2 * number - 1, FIRST + 2 * number)
  local owner, id = unpack(ARGV, 2 * number - 1, 2 * number)
  if call('GET', jobLock) == owner then
    giveBackJob(id, job, jobLock)
    count = count + 1
  end
end
if count > 0 then wakeWorkers() end
return count
