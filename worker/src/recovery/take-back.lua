-- Takes jobs back from a worker that is gone: to the front of the queue, each counted as lost, as BullMQ does once their locks
-- have ended (moveStalledJobsToWait).
--
-- KEYS[1]    workers  hash, see look-for-workers.lua
-- KEYS[2…6]  waiting, active, stalled, marker and meta of the queue: see shared/src/queue/queue-keys.ts
-- KEYS[7…9]  what it has left: numbers and journal of its streams, and the list of its jobs
-- ARGV[1]    name of the worker, which the locks of its jobs begin with
-- ARGV[2]    its channel
-- ARGV[3]    its value in the hash, all the while that it was looked at
-- ARGV[4]    what the keys of the queue's jobs begin with
-- ARGV[5]    how often a job may be lost; beyond that BullMQ gives it up
-- ARGV[6]    jobs to take back at most
--
-- Returns { 'there' }        it is there after all, or another worker has taken its jobs back
--         { 'more', id, … }  the jobs that were taken back; ask again, because it had others
--         { 'gone', id, … }  the jobs that were taken back; it has no others, and is not listed any more
--
-- Idempotent: a job is taken back with its lock, so that it is counted as lost once.

local call = redis.call
local workers, waiting, active, stalled, marker, queueMeta = unpack(KEYS)
local name, channel, value, jobPrefix, mostLosses, most = unpack(ARGV)

--- @include <locked-jobs>

if call('HGET', workers, name) ~= value or call('PUBSUB', 'NUMSUB', channel)[2] > 0 then return { 'there' } end

local beginning = name .. ':'
local jobs = lockedJobs(function(lock) return string.sub(lock, 1, #beginning) == beginning end)
local result = { #jobs > tonumber(most) and 'more' or 'gone' }
for i = 1, math.min(#jobs, tonumber(most)) do
  local id = jobs[i]
  local job = jobPrefix .. id
  call('DEL', job .. ':lock')
  call('LREM', active, '1', id)
  call('SREM', stalled, id)
  if call('HINCRBY', job, 'stc', '1') > tonumber(mostLosses) then
    call('HSET', job, 'defa', 'job stalled more than allowable limit')
  end
  call('RPUSH', waiting, id)
  result[#result + 1] = id
end
if #result > 1 and call('HEXISTS', queueMeta, 'paused') == 0 then call('ZADD', marker, '0', '0') end
if result[1] == 'gone' then
  call('HDEL', workers, name)
  call('DEL', unpack(KEYS, 7, 9))
end
return result
