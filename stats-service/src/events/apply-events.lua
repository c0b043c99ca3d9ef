-- Counts one batch of events and takes them out of the stream, and what was sent as numbers with them, all or nothing.
--
-- KEYS[1]  events           stream of answered requests, with the consumer group `stats`
-- KEYS[2]  active users     sorted set: user to last request, Unix ms
-- KEYS[3]  log              stream of rows
-- KEYS[4]  log texts        stream of masked texts, under the entry ids of the log
-- KEYS[5]  log refused      list: entry ids of the rows about refused requests, newest last
-- KEYS[6]  log open         hash: rows that further requests of their second still add to, by name:
--                           'Unix ms of opening, entry id, requests that the row shows, requests that came'
-- KEYS[7]  event bytes      string: bytes in the stream
-- KEYS[8]  tally taken      hash: what was sent as numbers and taken by take-tally.lua
-- KEYS[9]  people taken     sorted set
-- KEYS[10] key use          sorted set: API keys to the minute of their last request, Unix minutes
-- KEYS[11…] counters, distinct people and response times that the plan names by their place in KEYS
-- KEYS[the last two] tally and people: what was told as numbers and nobody has taken yet
-- ARGV[1]  consumer that holds the events
-- ARGV[2]  ids of the events, JSON list in the order of the stream; may be empty
-- ARGV[3]  plan, JSON: what the batch adds (numbers as text, so that none loses digits on the way)
--            counts   list of { key, expiry in ms or '0', { field, amount, field, amount, … } }
--            usage    list of { key, { row, sums, row, sums, … } }: what is added to the usage of an API key in a month, by
--                     day and model; sums are numbers joined by commas
--            people   list of { set, sketch, counter hash, field, expiry in ms or '0', { member, … } }
--            active   list of { user, Unix ms }
--            used     list of { id of an API key, Unix minutes }
--            refused  list of { name, shared name, row, shared row, count }
-- ARGV[4]  how long a user counts as active, ms
-- ARGV[5]  rows the log keeps
-- ARGV[6]  texts the log keeps
-- ARGV[7]  distinct people counted exactly; beyond, a sketch estimates them
-- ARGV[8]  rows about refused requests that the log keeps
-- ARGV[9]  rows that are open at most
-- ARGV[10] how long a row is open, ms
-- ARGV[11] bytes that the events take in the stream
-- ARGV[12] token of what was taken, or ''
-- ARGV[13…] rows of answered requests: for each its row and its texts, or ''
--
-- Returns { 'applied', rows still open }; or, having done nothing, { 'numbers' } when numbers were told before the events and
-- none were taken, or { 'changed' } when the consumer no longer holds exactly
-- these events, or the token is not that of what was taken (another instance took some over, or they are counted already).
--
-- An event is counted exactly once: it is counted only while it is pending for the caller, and is acknowledged and
-- deleted in the same script. A caller that never saw the reply asks for its pending events again and finds none. What
-- was sent as numbers is counted only under its token, and deleted in the same script.
--
-- A row about a refused request is written at once. Further ones of its name add to it; when it is no longer open, it is
-- written anew with their number and its first form is deleted, so that there is one row for each name. Where too many
-- are open, requests add to a row that all addresses share.

local FIRST_ROW = 13
-- Ids that one command takes; Lua hands over some thousands at most.
local IDS_AT_ONCE = 500

local ids = cjson.decode(ARGV[2])
if #ids > 0 then
  local pending = redis.call('XPENDING', KEYS[1], 'stats', ids[1], ids[#ids], #ids, ARGV[1])
  if #pending ~= #ids then return { 'changed' } end
  for i, entry in ipairs(pending) do
    if entry[1] ~= ids[i] then return { 'changed' } end
  end
end
-- Numbers count with the event that was told after them: once the stream is empty, nothing is uncounted.
if #ids > 0 and ARGV[12] == '' and redis.call('EXISTS', KEYS[8], KEYS[#KEYS - 1], KEYS[#KEYS]) > 0 then
  return { 'numbers' }
end
if ARGV[12] ~= '' and redis.call('HGET', KEYS[8], 'token') ~= ARGV[12] then return { 'changed' } end

local plan = cjson.decode(ARGV[3])

for _, count in ipairs(plan.counts) do
  local key, fields = KEYS[count[1]], count[3]
  for i = 1, #fields, 2 do redis.call('HINCRBY', key, fields[i], fields[i + 1]) end
  if count[2] ~= '0' then redis.call('PEXPIRE', key, count[2]) end
end

-- A month's rows at most: beyond, models are counted together.
local MOST_USAGE_ROWS = 2000
-- 400 days after the end of the month.
local USAGE_MS = '37324800000'

local function addSums(held, more)
  local sums = {}
  for number in string.gmatch(held, '%d+') do sums[#sums + 1] = tonumber(number) end
  local i = 0
  for number in string.gmatch(more, '%d+') do
    i = i + 1
    sums[i] = (sums[i] or 0) + tonumber(number)
  end
  for n = 1, #sums do sums[n] = string.format('%.0f', sums[n]) end
  return table.concat(sums, ',')
end

for _, usage in ipairs(plan.usage) do
  local key, rows = KEYS[usage[1]], usage[2]
  local isNew = false
  for i = 1, #rows, 2 do
    local row = rows[i]
    local held = redis.call('HGET', key, row)
    -- How many rows there are is of interest where one more comes, which is once a day.
    local count = held and 1 or redis.call('HLEN', key)
    if count == 0 then isNew = true end
    if count >= MOST_USAGE_ROWS then
      row = string.sub(row, 1, 3) .. 'other models'
      held = redis.call('HGET', key, row)
    end
    redis.call('HSET', key, row, held and addSums(held, rows[i + 1]) or rows[i + 1])
  end
  if isNew then redis.call('PEXPIRE', key, USAGE_MS) end
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

-- Not of keys that are not listed: those that were deleted must not come back.
for _, used in ipairs(plan.used) do redis.call('ZADD', KEYS[10], 'XX', 'GT', used[2], used[1]) end

--- @include <clock>

redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now - tonumber(ARGV[4])))
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -(exact + 1))

-- The last of each stream trims it: to take away single entries is dear, and whole nodes of a stream cost next to nothing.
local lastRow, lastTexts = #ARGV - 1, 0
for i = FIRST_ROW, lastRow, 2 do
  if ARGV[i + 1] ~= '' then lastTexts = i end
end
for i = FIRST_ROW, lastRow, 2 do
  local id
  if i < lastRow then
    id = redis.call('XADD', KEYS[3], '*', 'row', ARGV[i])
  else
    id = redis.call('XADD', KEYS[3], 'MAXLEN', ARGV[5], '*', 'row', ARGV[i])
  end
  if i == lastTexts then
    redis.call('XADD', KEYS[4], 'MAXLEN', ARGV[6], id, 'texts', ARGV[i + 1])
  elseif ARGV[i + 1] ~= '' then
    redis.call('XADD', KEYS[4], id, 'texts', ARGV[i + 1])
  end
end

-- Of rows about refused requests the oldest goes first, so that the log's own bound takes no other row for them.
local function addRefused(row, count)
  if redis.call('LLEN', KEYS[5]) >= tonumber(ARGV[8]) then redis.call('XDEL', KEYS[3], redis.call('LPOP', KEYS[5])) end
  if count > 1 then row = '{"count":' .. string.format('%d', count) .. ',' .. string.sub(row, 2) end
  local id = redis.call('XADD', KEYS[3], 'MAXLEN', ARGV[5], '*', 'row', row)
  redis.call('RPUSH', KEYS[5], id)
  return id
end

local function openRow(name)
  local held = redis.call('HGET', KEYS[6], name)
  if not held then return end
  return string.match(held, '^(%d+) (%S+) (%d+) (%d+)$')
end

local function hold(name, since, id, told, came)
  redis.call('HSET', KEYS[6], name, string.format('%.0f %s %d %d', since, id, told, came))
end

local open = redis.call('HLEN', KEYS[6])
for _, line in ipairs(plan.refused) do
  local name, row, count = line[1], line[3], tonumber(line[5])
  local since, id, told, came = openRow(name)
  if not since and open >= tonumber(ARGV[9]) then
    name, row = line[2], line[4]
    since, id, told, came = openRow(name)
  end
  if since then
    hold(name, since, id, told, came + count)
  else
    hold(name, now, addRefused(row, count), count, count)
    open = open + 1
  end
end

-- The row as it was first written, out of the log.
local function takeOut(id)
  local entry = redis.call('XRANGE', KEYS[3], id, id)[1]
  if not entry then return end
  redis.call('XDEL', KEYS[3], id)
  redis.call('LREM', KEYS[5], '-1', id)
  return (string.gsub(entry[2][2], '^{"count":%d+,', '{'))
end

if open > 0 then
  local rows = redis.call('HGETALL', KEYS[6])
  for i = 1, #rows, 2 do
    local since, id, told, came = string.match(rows[i + 1], '^(%d+) (%S+) (%d+) (%d+)$')
    if not since or now - since >= tonumber(ARGV[10]) or now < tonumber(since) then
      local row = since and came ~= told and takeOut(id)
      if row then addRefused(row, tonumber(came)) end
      redis.call('HDEL', KEYS[6], rows[i])
      open = open - 1
    end
  end
end

-- Ids whose rows the log's own bound has taken away go with them.
local oldest = redis.call('XRANGE', KEYS[3], '-', '+', 'COUNT', '1')[1]
local function isGone(id)
  if not oldest then return true end
  local ms, sequence = string.match(id, '^(%d+)-(%d+)$')
  local oldestMs, oldestSequence = string.match(oldest[1], '^(%d+)-(%d+)$')
  ms, oldestMs = tonumber(ms), tonumber(oldestMs)
  return ms < oldestMs or (ms == oldestMs and tonumber(sequence) < tonumber(oldestSequence))
end
local first = redis.call('LINDEX', KEYS[5], '0')
while first and isGone(first) do
  redis.call('LPOP', KEYS[5])
  first = redis.call('LINDEX', KEYS[5], '0')
end

for i = 1, #ids, IDS_AT_ONCE do
  local last = math.min(i + IDS_AT_ONCE - 1, #ids)
  redis.call('XACK', KEYS[1], 'stats', unpack(ids, i, last))
  redis.call('XDEL', KEYS[1], unpack(ids, i, last))
end
if #ids > 0 and redis.call('DECRBY', KEYS[7], ARGV[11]) < 0 then redis.call('DEL', KEYS[7]) end
if ARGV[12] ~= '' then redis.call('DEL', KEYS[8], KEYS[9]) end
return { 'applied', open }
