-- Reads jobs that no worker is at.
--
-- KEYS[1]  waiting  list
-- KEYS[2]  delayed  sorted set
-- ARGV[1]  what the key of each job begins with
-- ARGV[2]  how many of each of the two at most
--
-- Returns the data of each, JSON: those that wait, the oldest first, then those between two attempts, the next due first.
--
-- Idempotent: it only reads.

local call = redis.call
local waiting, delayed = unpack(KEYS)
local jobs, most = {}, tonumber(ARGV[2])

local function gather(ids, first, last, step)
  for number = first, last, step do
    local data = call('HGET', ARGV[1] .. ids[number], 'data')
    if data then jobs[#jobs + 1] = data end
  end
end

local waits = call('LRANGE', waiting, -most, -1)
gather(waits, #waits, 1, -1)
local due = call('ZRANGE', delayed, 0, most - 1)
gather(due, 1, #due, 1)
return jobs
