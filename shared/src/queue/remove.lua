-- Takes a job that no worker has out of the queue, as BullMQ's own removeJob does with one of ours: without parent,
-- children or deduplication.
--
-- KEYS[1]  job      hash
-- KEYS[2]  its lock
-- KEYS[3]  waiting  list
-- KEYS[4]  delayed  sorted set
-- KEYS[5]  active   list
-- KEYS[6]  prioritized  sorted set
-- ARGV[1]  id of the job
--
-- Returns 1, or 0 where a worker has its lock or there is no such job.
--
-- Idempotent.

local call = redis.call
local job, jobLock, waiting, delayed, active, prioritized = unpack(KEYS)
local id = ARGV[1]

if call('EXISTS', jobLock) == 1 then return 0 end
local function isIn(set) return call('ZREM', set, id) == 1 end
local function isOf(list) return call('LREM', list, 1, id) == 1 end
local _ = isIn(delayed) or isIn(prioritized) or isOf(waiting) or isOf(active)
return call('DEL', job)
