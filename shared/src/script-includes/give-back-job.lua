-- Gives a job back that a worker took and never started: to the front of the queue, as if it had not been taken.
--
-- Needs  waiting, active, stalled, marker, queueMeta  see shared/src/queue/queue-keys.ts
--        call
-- Gives  giveBackJob(id, job, jobLock)
--        wakeWorkers()                  to call once jobs have been given back

local function giveBackJob(id, job, jobLock)
  call('DEL', jobLock)
  call('LREM', active, '1', id)
  call('SREM', stalled, id)
  call('HINCRBY', job, 'ats', '-1')
  call('RPUSH', waiting, id)
end

local function wakeWorkers()
  if call('HEXISTS', queueMeta, 'paused') == 0 then call('ZADD', marker, '0', '0') end
end
