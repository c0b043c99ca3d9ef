-- Reads an address's count of uploads in a day, and gives how many of them are in work at that very moment.
--
-- KEYS[1]  day count  string: uploads of the address in a UTC day, those in work included
-- KEYS[2]  open       sorted set: ids of uploads in work or being removed
-- ARGV[1]  prefix of the uploads' hashes; which of them are read, the open uploads say, and all are in the slot of KEYS
-- ARGV[2]  UTC day of the count
-- ARGV[3]  address of the count
--
-- Returns { count, ms until it expires or -1, now in Unix ms, how many are in work }, or nothing where there is no such
-- count.
--
-- Changes nothing.

--- @include <clock>

local count = redis.call('GET', KEYS[1])
if not count then return false end
local inWork = 0
for _, id in ipairs(redis.call('ZRANGE', KEYS[2], '0', '-1')) do
  local state, day, address = unpack(redis.call('HMGET', ARGV[1] .. id, 'state', 'day', 'address'))
  if state == 'open' and day == ARGV[2] and address == ARGV[3] then inWork = inWork + 1 end
end
return { count, redis.call('PTTL', KEYS[1]), now, inWork }
