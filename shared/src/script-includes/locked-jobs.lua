-- Finds jobs in work by their locks.
--
-- Needs  active, jobPrefix  see shared/src/queue/queue-keys.ts
--        call
-- Gives  lockedJobs(isWanted), which returns the ids of the jobs in work for whose lock isWanted is true, the latest first

-- Locks that are read at once, and jobs in work that are looked at: more than a fleet has.
local MOST_AT_ONCE, MOST_IN_WORK = 1000, 200000

local function lockedJobs(isWanted)
  local ids, found = call('LRANGE', active, '0', MOST_IN_WORK - 1), {}
  for first = 1, #ids, MOST_AT_ONCE do
    local keys = {}
    for i = first, math.min(first + MOST_AT_ONCE - 1, #ids) do keys[#keys + 1] = jobPrefix .. ids[i] .. ':lock' end
    for i, lock in ipairs(call('MGET', unpack(keys))) do
      local id = ids[first + i - 1]
      if lock and isWanted(lock, id) then found[#found + 1] = id end
    end
  end
  return found
end
