-- Counts one batch of events and takes them out of the stream, all or nothing.
--
-- KEYS[1]  events           stream of answered requests, with the consumer group `stats`
-- KEYS[2]  active users     sorted set: user to last request, Unix ms
-- KEYS[3]  log              stream of rows
-- KEYS[4]  log texts        stream of masked texts, under the entry ids of the log
-- KEYS[5…] counters, distinct people and response times that the plan names by their place in KEYS
-- ARGV[1]  consumer that holds the events
-- ARGV[2]  ids of the events, JSON list in the order of the stream
-- ARGV[3]  plan, JSON: what the batch adds (numbers as text, so that none loses digits on the way)
--            counts  list of { key, expiry in ms or '0', { field, amount, field, amount, … } }
--            people  list of { set, sketch, counter hash, field, expiry in ms or '0', { member, … } }
--            active  list of { user, Unix ms }
--            log     list of { row, texts or '' }
-- ARGV[4]  how long a user counts as active, ms
-- ARGV[5]  rows the log keeps
-- ARGV[6]  texts the log keeps
-- ARGV[7]  distinct people counted exactly; beyond, a sketch estimates them
--
-- Returns { 'applied' }; or { 'changed' }, having done nothing, when the consumer no longer holds exactly these events
-- (another instance took some over, or they are counted already).
--
-- An event is counted exactly once: it is counted only while it is pending for the caller, and is acknowledged and
-- deleted in the same script. A caller that never saw the reply asks for its pending events again and finds none.

local ids = cjson.decode(ARGV[2])
local pending = redis.call('XPENDING', KEYS[1], 'stats', ids[1], ids[#ids], #ids, ARGV[1])
if #pending ~= #ids then return { 'changed' } end
for i, entry in ipairs(pending) do
  if entry[1] ~= ids[i] then return { 'changed' } end
end

local plan = cjson.decode(ARGV[3])

for _, count in ipairs(plan.counts) do
  local key, fields = KEYS[count[1]], count[3]
  for i = 1, #fields, 2 do redis.call('HINCRBY', key, fields[i], fields[i + 1]) end
  if count[2] ~= '0' then redis.call('PEXPIRE', key, count[2]) end
end

local exact = tonumber(ARGV[7])
for _, people in ipairs(plan.people) do
  local set, sketch, hash, field, expiry, members = KEYS[people[1]], KEYS[people[2]], KEYS[people[3]], people[4], people[5], people[6]
  local counted = redis.call('SCARD', set)
  for _, member in ipairs(members) do
    if counted < exact then counted = counted + redis.call('SADD', set, member) end
    redis.call('PFADD', sketch, member)
  end
  if counted >= exact then counted = math.max(exact, redis.call('PFCOUNT', sketch)) end
  redis.call('HSET', hash, field, counted)
  if expiry ~= '0' then
    redis.call('PEXPIRE', set, expiry)
    redis.call('PEXPIRE', sketch, expiry)
  end
end

for _, user in ipairs(plan.active) do redis.call('ZADD', KEYS[2], 'GT', user[2], user[1]) end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now - tonumber(ARGV[4])))
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -(exact + 1))

for _, line in ipairs(plan.log) do
  local id = redis.call('XADD', KEYS[3], 'MAXLEN', ARGV[5], '*', 'row', line[1])
  if line[2] ~= '' then redis.call('XADD', KEYS[4], 'MAXLEN', ARGV[6], id, 'texts', line[2]) end
end

for _, id in ipairs(ids) do
  redis.call('XACK', KEYS[1], 'stats', id)
  redis.call('XDEL', KEYS[1], id)
end
return { 'applied' }
