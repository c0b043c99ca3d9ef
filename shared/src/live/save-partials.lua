-- Keeps what is masked so far of streamed answers, so that a reader on any gateway can begin anew, and says who follows.
--
-- KEYS[1]    journal   string: pieces of numbered streams, as send-frames.lua notes them; taken out here
-- KEYS[2]    numbers   hash: what the numbers of this worker's streams stand for, `start id`
-- ARGV[1]    how long partial texts are kept, ms
-- ARGV[2…5]  what the names of these begin with: request hashes, keys' flights, partial texts, followers. Names are made of
--            them here, because written out they would be several times as long as the text
-- ARGV[6]    numbered streams whose partial texts grow by what the journal has of them, digits (<numbered-frames>): for each
--            what is added to the number before, and how many bytes of text and of reasoning there are then
-- ARGV[7]    numbers that are of no more use, with spaces between
-- then for each answer that is written by its text
--   request id
--   key id
--   start
--   number of the stream, 0 for none: noted where its number may be lost
--   for text, then for reasoning
--     bytes of it that are there already, as this worker knows; 0 writes it anew
--     what follows them; '' for nothing
--
-- Returns { numbered, answers }
--   numbered  for each { standing, followers… }: 'saved', or 'lost': what is there is not as long as expected, and has to be
--             written by its text
--   answers   for each { standing, bytes of text, bytes of reasoning, followers… }; where nothing was written { standing }
--     standing  'saved';
--               'unseen'   nothing was visible and no gateway follows: nothing is kept, so that another start may take over;
--               'refused'  nothing of this start may be shown (any more), see <become-visible>
--     bytes     of what is kept; other than expected where some of it was lost, and it has to be written anew
--
-- Idempotent: nothing is appended to what is not as long as expected, or would not become so.

local call, format = redis.call, string.format
--- @include <become-visible>
--- @include <numbered-frames>

local HEAD, ARGS = 7, 8
local ttl, requests, flights, partials, followerSets, expected, gone = unpack(ARGV, 1, HEAD)
local journalKey, numbers = unpack(KEYS)

local function write(key, text, isNew)
  local length = #text
  if isNew then call('SET', key, text) else length = call('APPEND', key, text) end
  -- Each time: an answer may grow for longer than it is kept.
  call('PEXPIRE', key, ttl)
  return length
end

local function save(key, bytes, text)
  local length = call('STRLEN', key)
  if text == '' or (bytes ~= '0' and length ~= tonumber(bytes)) then return length end
  return write(key, text, bytes == '0')
end

-- What the journal has of each stream, in its order.
local grown = {}
local journal = call('GET', journalKey)
if journal then
  call('DEL', journalKey)
  readNumbered(journal, function(number, track, data)
    local stream = grown[number] or { text = {}, reasoning = {} }
    grown[number] = stream
    local list = stream[track]
    list[#list + 1] = data
  end)
end

local function grow(key, pieces, bytes)
  local text = table.concat(pieces)
  local length = call('STRLEN', key)
  if length + #text ~= bytes then return false end
  if text ~= '' then write(key, text, length == 0) end
  return true
end

local function saveNumbered(said, stream, textBytes, reasoningBytes)
  local start, id = (said or ''):match('^(%d+) (.+)$')
  if not id then return { 'lost' } end
  local visible, result = unpack(call('HMGET', requests .. id, 'visible', 'result'))
  if result or visible ~= start then return { 'lost' } end
  local partial = partials .. id
  local isWhole = grow(partial .. ':text', stream.text, textBytes)
  isWhole = grow(partial .. ':reasoning', stream.reasoning, reasoningBytes) and isWhole
  return { isWhole and 'saved' or 'lost', unpack(call('SMEMBERS', followerSets .. id)) }
end

local NOTHING = { text = {}, reasoning = {} }
local numbered, order, lengths = {}, {}, {}
local at, number = 1, 0
while at <= #expected do
  local step, textBytes, reasoningBytes
  step, at = readDigits(expected, at)
  textBytes, at = readDigits(expected, at)
  reasoningBytes, at = readDigits(expected, at)
  number = number + step
  order[#order + 1] = number
  lengths[#lengths + 1] = { textBytes, reasoningBytes }
end
for index, stream in ipairs(order) do
  local said = call('HGET', numbers, format('%d', stream))
  numbered[index] = saveNumbered(said, grown[stream] or NOTHING, unpack(lengths[index]))
end
for stream in gone:gmatch('%d+') do call('HDEL', numbers, stream) end

local answers = {}
for a = HEAD, #ARGV - 1, ARGS do
  local id, keyId, start, stream, textBytes, text, reasoningBytes, reasoning = unpack(ARGV, a + 1, a + ARGS)
  local request = requests .. id
  local isAllowed, wasShown = mayShow(request, flights .. keyId, id, start)
  local following = isAllowed and call('SMEMBERS', followerSets .. id) or {}
  local answer = { isAllowed and 'unseen' or 'refused' }
  if wasShown or #following > 0 then
    if not wasShown then show(request, start) end
    if stream ~= '0' then
      call('HSET', numbers, stream, start .. ' ' .. id)
      call('PEXPIRE', numbers, ttl)
    end
    local partial = partials .. id
    answer = { 'saved', save(partial .. ':text', textBytes, text), save(partial .. ':reasoning', reasoningBytes, reasoning), unpack(following) }
  end
  answers[#answers + 1] = answer
end
return { numbered, answers }
