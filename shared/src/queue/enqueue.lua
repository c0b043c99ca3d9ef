-- Enqueues one job that no admission brings along.
--
-- KEYS[1]  job      hash
-- KEYS[2]  waiting  list
-- KEYS[3]  marker   sorted set
-- KEYS[4]  meta     hash
-- ARGV[1]  id of the job
-- ARGV[2]  name
-- ARGV[3]  data, JSON
-- ARGV[4]  options, JSON
-- ARGV[5]  when it came, Unix ms
--
-- Returns 1, or 0 where there is such a job.
--
-- Idempotent by the id of the job, for as long as the job is there.

local call, format = redis.call, string.format
local jobKey, waiting, marker, queueMeta = unpack(KEYS)
local jobId, jobName, jobData, jobOptions, now = unpack(ARGV)

if call('EXISTS', jobKey) == 1 then return 0 end
--- @include <enqueue>
return 1
