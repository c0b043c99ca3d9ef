-- Notes how long a job is that is about to be enqueued, where there is room for it among all that are unsettled.
--
-- KEYS[1]  longJobs   hash: bytes of each long job by its request id; `total` of all, `counted` when they were last counted
-- ARGV[1]  request id
-- ARGV[2]  bytes of its job
-- ARGV[3]  bytes that all of them may have
-- ARGV[4]  how long this is kept after the last of them, ms
-- ARGV[5]  what the keys of the queue's jobs begin with
--
-- Returns 1 where there is room, else 0
--
-- Nothing says when a job has gone: where there seems to be no room, those that are there no more are forgotten, at most once a
-- second. One that is noted and not enqueued yet may be forgotten with them, and is then too much for a moment.
--
-- Idempotent by request id.

local call, format = redis.call, string.format
--- @include <clock>

local longJobs = KEYS[1]
local id, bytes, most, ttl, jobPrefix = unpack(ARGV)
bytes, most = tonumber(bytes), tonumber(most)
local known, total, counted = unpack(call('HMGET', longJobs, id, 'total', 'counted'))
if known then return 1 end
total = tonumber(total or '0')

if total + bytes > most and now - tonumber(counted or '0') >= 1000 then
  total = 0
  local all = call('HGETALL', longJobs)
  for at = 1, #all, 2 do
    local field = all[at]
    if field ~= 'total' and field ~= 'counted' then
      if call('EXISTS', jobPrefix .. field) == 1 then total = total + tonumber(all[at + 1])
      else call('HDEL', longJobs, field) end
    end
  end
  call('HSET', longJobs, 'total', format('%d', total), 'counted', format('%d', now))
end
local hasRoom = total + bytes <= most
if hasRoom then call('HSET', longJobs, id, format('%d', bytes), 'total', format('%d', total + bytes)) end
call('PEXPIRE', longJobs, ttl)
return hasRoom and 1 or 0
