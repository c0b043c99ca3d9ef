-- Puts a job into the queue, as BullMQ's addStandardJob does, but without an event and without counting jobs: ours have
-- ids of their own. Whether the job is there already is for the script to know.
--
-- Needs  jobKey, waiting, marker, queueMeta  see shared/src/queue/queue-keys.ts
--        jobId, jobName, jobData, jobOptions
--        now     when it came, Unix ms
--        call, format

call('HSET', jobKey, 'name', jobName, 'data', jobData, 'opts', jobOptions,
  'timestamp', format('%d', now), 'delay', '0', 'priority', '0')
call('LPUSH', waiting, jobId)
-- While the queue is paused no worker is to wake up for it; resuming sets the marker.
if call('HEXISTS', queueMeta, 'paused') == 0 then call('ZADD', marker, '0', '0') end
