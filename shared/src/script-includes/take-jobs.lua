-- Takes waiting jobs for a worker, as BullMQ's moveToActive does for one: due ones come back from their delay, the oldest
-- go first, each gets a lock, and its start is counted.
--
-- Needs  waiting, active, delayed, prioritized, marker, queueMeta, jobPrefix  see shared/src/queue/queue-keys.ts
--        call, format; now (clock.lua)
-- Gives  takeJobs(most, mostBytes, lock, lockMs), which returns
--          a list of { id, fields of the job's hash and their values }
--          when the next delayed job is due, Unix ms as text; '0' where none is, or the queue is paused

-- BullMQ's delayed jobs are scored by their time and a counter of twelve bits.
local COUNTER = 4096
local MOST_PROMOTED = 1000

local function promote()
  local first = call('ZRANGE', delayed, '0', '0', 'WITHSCORES')
  if not first[2] then return '0' end
  if tonumber(first[2]) < (now + 1) * COUNTER then
    local due = call('ZRANGEBYSCORE', delayed, '0', format('%.0f', (now + 1) * COUNTER - 1), 'LIMIT', '0', format('%d', MOST_PROMOTED))
    call('ZREM', delayed, unpack(due))
    for _, id in ipairs(due) do
      call('LPUSH', waiting, id)
      call('HSET', jobPrefix .. id, 'delay', '0')
    end
    first = call('ZRANGE', delayed, '0', '0', 'WITHSCORES')
    if not first[2] then return '0' end
  end
  return format('%.0f', math.floor(tonumber(first[2]) / COUNTER))
end

-- Pops the ids of waiting jobs, the oldest first, and whether there may be others. Priorities are not ours, but a job
-- with one must not stay behind.
local function popJobs(most)
  local ids = call('RPOP', waiting, format('%d', most)) or {}
  if #ids > 0 then return ids, #ids == most end
  local id = call('ZPOPMIN', prioritized)[1]
  return { id }, id ~= nil
end

-- The job's hash as a list, and the bytes of its data; nil of a job that was removed, so that only its id was left.
local function startJob(id, lock, lockMs)
  local key = jobPrefix .. id
  local job = call('HGETALL', key)
  local starts, bytes = 0, 0
  for i = 1, #job, 2 do
    if job[i] == 'ats' then starts = tonumber(job[i + 1]) end
    if job[i] == 'data' then bytes = #job[i + 1] end
  end
  if bytes == 0 then return nil, 0 end
  starts = format('%d', starts + 1)
  call('SET', key .. ':lock', lock, 'PX', lockMs)
  call('HSET', key, 'ats', starts, 'processedOn', format('%d', now))
  job[#job + 1] = 'ats'
  job[#job + 1] = starts
  return job, bytes
end

local function takeJobs(most, mostBytes, lock, lockMs)
  local paused, mostActive = unpack(call('HMGET', queueMeta, 'paused', 'concurrency'))
  if paused then return {}, '0' end
  local nextAt = promote()
  if mostActive then most = math.min(most, tonumber(mostActive) - call('LLEN', active)) end
  if most <= 0 then return {}, nextAt end
  local ids, isMore = popJobs(most)
  if #ids == 0 then return {}, nextAt end
  -- At once: whatever fails from here on leaves a job in work without a lock, which comes back.
  call('LPUSH', active, unpack(ids))
  local taken, bytes = {}, 0
  for i, id in ipairs(ids) do
    if bytes >= mostBytes then
      for back = #ids, i, -1 do
        call('LREM', active, '1', ids[back])
        call('RPUSH', waiting, ids[back])
      end
      isMore = true
      break
    end
    local job, size = startJob(id, lock, lockMs)
    bytes = bytes + size
    if job then taken[#taken + 1] = { id, job } else call('LREM', active, '1', id) end
  end
  -- Others may go on where this worker stopped; a worker that saw the queue empty waits for the next job's marker.
  if isMore then call('ZADD', marker, '0', '0') end
  return taken, nextAt
end
