-- Renews the locks of jobs that a worker has in work.
--
-- A lock may have ended although its worker is well: while Redis or the machine stood still, it could not be renewed. Where the job
-- was neither taken back nor taken again since, it is locked anew and stays where it is.
--
-- KEYS[1]  stalled  set, see shared/src/queue/queue-keys.ts
-- KEYS[2]  held     set: the jobs of this worker as it told of them last, each `id lock starts losses`: how often it had been
--                   started and how often lost when the worker took it
-- ARGV[1]  what the keys of the queue's jobs begin with
-- ARGV[2]  how long a lock lasts, ms
-- ARGV[3]  '1' to forget what was told before
-- ARGV[4]  how many jobs the worker has
-- ARGV[5]  how many of the following it has no more
-- then each job that it has no more, and each that is new
--
-- Returns { 'renewed', ids… }  ids of the jobs that are another start's by now, or will be, or are gone
--         { 'forgotten' }      jobs are missing in the set, as when Redis has lost it: nothing was renewed
--
-- Idempotent.

local call = redis.call
local stalled, held = unpack(KEYS)
local HEAD = 5
local jobPrefix, lockMs, isNew, count, gone = unpack(ARGV, 1, HEAD)
-- Far longer than locks last: a worker that was still for so long has lost its jobs.
local KEPT_MS = 60000

if isNew == '1' then call('DEL', held) end
local firstAdded = HEAD + tonumber(gone) + 1
for at = HEAD + 1, #ARGV do call(at < firstAdded and 'SREM' or 'SADD', held, ARGV[at]) end
if call('SCARD', held) ~= tonumber(count) then return { 'forgotten' } end
call('PEXPIRE', held, KEPT_MS)

-- Each take counts a start, and each time that a job is taken back counts a loss.
local function isSameStart(job, starts, losses)
  local started, lost = unpack(call('HMGET', job, 'ats', 'stc'))
  return started == starts and (lost or '0') == losses
end

local answer = { 'renewed' }
for _, one in ipairs(call('SMEMBERS', held)) do
  local id, lock, starts, losses = one:match('^(%S+) (%S+) (%S+) (%S+)$')
  local job = jobPrefix .. id
  local holder = call('GET', job .. ':lock')
  if holder == lock or (not holder and isSameStart(job, starts, losses)) then
    call('SET', job .. ':lock', lock, 'PX', lockMs)
    call('SREM', stalled, id)
  else
    answer[#answer + 1] = id
  end
end
return answer
