-- Takes the requests that gateways sent as numbers out of their hands, to be counted.
--
-- KEYS[1]  tally         hash: what to how many, see shared/src/event-tally.ts
-- KEYS[2]  people        sorted set: distinct people of these, by their last request
-- KEYS[3]  tally taken   hash: the same, in stats-service's hands
-- KEYS[4]  people taken  sorted set
--
-- Returns {} when there is nothing; else { token, { field, number, … }, { member, Unix ms, … } }.
--
-- What was taken stays until apply-events.lua has counted it, under this token, and is given to an instance that asks meanwhile:
-- so nothing is lost with an instance that dies, and what two instances were given counts once. Idempotent until then.

if redis.call('EXISTS', KEYS[3]) == 0 then
  local isThere = { redis.call('EXISTS', KEYS[1]) == 1, redis.call('EXISTS', KEYS[2]) == 1 }
  if not (isThere[1] or isThere[2]) then return {} end
  if isThere[1] then redis.call('RENAME', KEYS[1], KEYS[3]) end
  if isThere[2] then redis.call('RENAME', KEYS[2], KEYS[4]) end
  local time = redis.call('TIME')
  redis.call('HSET', KEYS[3], 'token', time[1] .. '.' .. time[2])
end

local fields = redis.call('HGETALL', KEYS[3])
local token
for i = 1, #fields, 2 do
  if fields[i] == 'token' then
    token = fields[i + 1]
    table.remove(fields, i)
    table.remove(fields, i)
    break
  end
end
return { token, fields, redis.call('ZRANGE', KEYS[4], '0', '-1', 'WITHSCORES') }
