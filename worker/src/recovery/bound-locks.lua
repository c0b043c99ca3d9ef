-- Lets no lock of a job last longer than one that was made just now.
--
-- The end of a lock is a moment by the clock of the server that made it. Where a replica with a clock that is behind has
-- become the primary, it would last that much longer there, and the job of a worker that no longer has it would wait as long.
-- So would the next look for such jobs.
--
-- KEYS[1]  active        list, see shared/src/queue/queue-keys.ts
-- KEYS[2]  stalledCheck  string, see there
-- ARGV[1]  what the keys of the queue's jobs begin with
-- ARGV[2]  how long a lock lasts, ms
-- ARGV[3]  how long workers do not look for lost jobs after one of them has, ms
--
-- Returns how many locks were shortened. Idempotent.

local call = redis.call
local jobPrefix, lockMs, lookMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local shortened = 0
if call('PTTL', KEYS[2]) > lookMs then call('PEXPIRE', KEYS[2], lookMs) end
for _, id in ipairs(call('LRANGE', KEYS[1], 0, -1)) do
  local lock = jobPrefix .. id .. ':lock'
  if call('PTTL', lock) > lockMs then
    call('PEXPIRE', lock, lockMs)
    shortened = shortened + 1
  end
end
return shortened
