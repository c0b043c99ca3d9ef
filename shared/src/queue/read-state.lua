-- Reads what is in the queue.
--
-- KEYS[1]  waiting  list
-- KEYS[2]  active   list
-- KEYS[3]  delayed  sorted set
-- KEYS[4]  failed   sorted set
-- KEYS[5]  meta     hash
-- ARGV[1]  what the key of each job begins with
--
-- Returns how many jobs wait, are in work, wait for their next attempt and have failed; 1 where the queue is held, else 0;
-- and when the job that waits longest came, Unix ms as it was written, or nothing where none waits.
--
-- Idempotent: it only reads.

local call = redis.call
local waiting, active, delayed, failed, queueMeta = unpack(KEYS)

local oldest = call('LINDEX', waiting, -1)
local came = oldest and call('HGET', ARGV[1] .. oldest, 'timestamp')
return {
  call('LLEN', waiting), call('LLEN', active), call('ZCARD', delayed), call('ZCARD', failed),
  call('HEXISTS', queueMeta, 'paused'), came,
}
