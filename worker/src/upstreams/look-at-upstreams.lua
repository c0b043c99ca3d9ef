-- Looks at upstreams, and keeps the places of one worker's calls there.
--
-- KEYS     for each upstream its state and its places (note-outcomes.lua)
-- ARGV[1]  how long a place lasts without renewal, ms
-- then for each upstream  how many of the worker's calls are to keep, or to get, a place, and their ids
--
-- Returns { state, how many places are taken } of each, one after the other.
--
-- Idempotent. A call that has ended must not be among them: its place would come back.

local call, format = redis.call, string.format
--- @include <clock>

local placeMs = ARGV[1]
local reply, at = {}, 2
for i = 1, #KEYS, 2 do
  local places = KEYS[i + 1]
  local count = tonumber(ARGV[at])
  for j = at + 1, at + count do call('ZADD', places, format('%.0f', now + placeMs), ARGV[j]) end
  if count > 0 then call('PEXPIRE', places, '60000') end
  at = at + count + 1
  call('ZREMRANGEBYSCORE', places, '-inf', format('%.0f', now))
  reply[i], reply[i + 1] = call('GET', KEYS[i]) or '', call('ZCARD', places)
end
return reply
