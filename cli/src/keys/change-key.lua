-- Changes an API key that exists. Sets some fields and takes others away, in one step, so that admission never sees
-- half a change. The limits in the packed form that admission reads are taken away as well: the next admission packs
-- them anew.
--
-- KEYS[1]  record     hash: the key's fields, see shared/src/api-key-record.ts
-- ARGV[1]  'active' when a revoked key must not be changed, else ''
-- ARGV[2]  'overlap' when an earlier hash that is still good must not be ended, else ''
-- ARGV[3]  until when the present hash stays good beside the new one, Unix ms; '' when it does not
-- ARGV[4]  number of field-value pairs to set
-- ARGV[5…] field, value, …; then the fields to take away
--
-- Returns 'changed', 'missing', 'revoked', or, where ARGV[2] kept it from changing anything, until when the earlier hash is
-- good, Unix ms. Setting the same fields again changes nothing more, except that ARGV[3] moves the hash that is then
-- present.

--- @include <packed-terms>

local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return 'missing'
end
if ARGV[1] == 'active' and state ~= 'active' then
  return 'revoked'
end
if ARGV[2] == 'overlap' then
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  -- A record has room for one earlier hash: to keep another one is to end this one.
  local earlierUntil = tonumber(redis.call('HGET', KEYS[1], 'oldHashUntil') or '0')
  if now < earlierUntil then
    return earlierUntil
  end
end
if ARGV[3] ~= '' then
  redis.call('HSET', KEYS[1], 'oldHash', redis.call('HGET', KEYS[1], 'hash'), 'oldHashUntil', ARGV[3])
end
local last = 4 + 2 * tonumber(ARGV[4])
for i = 5, last, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
end
for i = last + 1, #ARGV do
  redis.call('HDEL', KEYS[1], ARGV[i])
end
redis.call('HDEL', KEYS[1], PACKED_TERMS, EARLIER_TERMS)
return 'changed'
