-- Renews one instance's registration and drops those that have stopped renewing theirs.
--
-- KEYS[1]  instances   hash: instance id to { seenAt, instance } as JSON
-- KEYS[2]  clock       hash: `seen` is the latest time that was told (meet-server.lua)
-- ARGV[1]  instance id
-- ARGV[2]  the instance's record, JSON
-- ARGV[3]  age at which a record is dropped, ms
--
-- Returns the number of records dropped. Idempotent: a repeated beat writes the same record with a newer time.

--- @include <clock>

redis.call('HSET', KEYS[1], ARGV[1], '{"seenAt":' .. string.format('%.0f', now) .. ',"instance":' .. ARGV[2] .. '}')
redis.call('HSET', KEYS[2], 'seen', string.format('%.0f', now))
local dropped = 0
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local seen = tonumber(string.match(all[i + 1], '^{"seenAt":(%d+)'))
  if not seen or seen < now - tonumber(ARGV[3]) then
    redis.call('HDEL', KEYS[1], all[i])
    dropped = dropped + 1
  end
end
return dropped
