-- Sends masked pieces of answers to the inboxes of the gateways that stream them, one entry for each.
--
-- Names of keys that follow from others are made here: written out, they would be a sixth as long as the text of many streams.
--
-- KEYS[1]  journal   string: pieces of numbered streams that are not in their partial texts yet (save-partials.lua); its
--                    name has this worker's in it, and gives that of the hash of what the numbers of its streams stand for
-- for each inbox        KEYS  its stream; beside it are its bytes
-- for each first frame  KEYS  request hash, key's flight
-- ARGV[1]  number of inboxes
-- ARGV[2]  number of first frames: of starts of which nothing is known to be visible yet
-- ARGV[3]  how long numbers and journal are kept without a further one, ms
-- then for each inbox
--   number of its entry among all of this worker's
--   numbered pieces of the streams that it waits for
--   numbered pieces of others that it follows: another inbox waits for them
--   frames for a gateway that takes no numbers, JSON without the brackets around
-- then for each first frame  request id, start, number of its inbox from 1, number of the stream, its frames: numbered where
--                            the stream has a number, JSON likewise where that is 0
--
-- Returns { firsts, inboxes }
--   firsts   for each 'visible': it was written, and the start's later frames may follow without being asked about;
--            'refused': nothing of this start may be shown (any more), see <become-visible>;
--            'later': its inbox took nothing, and nothing is visible by it
--   inboxes  for each 1 where it took its frames; 0 where there is no such gateway, or it is far behind
--
-- Frames never displace replies: an inbox that is half full takes none. Its gateway finds the gap, and fills it from the
-- partial text or the stored result. Pieces of numbered streams are noted in the journal in any case.
--
-- Not idempotent, but harmless: a frame that comes twice is known by its offset, an entry that does by its number, and a
-- journal that is longer than it should be is not taken.

local call, format = redis.call, string.format
--- @include <send-replies>
--- @include <become-visible>

local FIXED, PER_FIRST, HEAD, INBOX_ARGS, FIRST_ARGS = 1, 2, 3, 4, 5
-- Of a worker that has not saved partial texts for long: it writes them anew.
local MOST_JOURNAL_BYTES = 8388608
local journal = KEYS[1]
local worker = journal:match(':partial:(.+):journal$')
local numbers = journal:sub(1, -8) .. 'numbers'
local inboxCount, firstCount, ttl = unpack(ARGV, 1, HEAD)
inboxCount, firstCount = tonumber(inboxCount), tonumber(firstCount)
local firstOfFirsts = HEAD + INBOX_ARGS * inboxCount
local noted, isOpen, inboxes, firsts, entries, lists = {}, {}, {}, {}, {}, {}

local function inboxOf(number)
  local inbox = KEYS[FIXED + number]
  return inbox, inbox .. ':bytes'
end

for number = 1, inboxCount do
  local inbox, inboxBytes = inboxOf(number)
  local a = HEAD + INBOX_ARGS * (number - 1)
  local sequence, own, followed, json = unpack(ARGV, a + 1, a + INBOX_ARGS)
  if own ~= '' then noted[#noted + 1] = own end
  entries[number] = { 'numbered', worker, sequence, own .. followed }
  lists[number] = json ~= '' and { json } or {}
  isOpen[number] = call('EXISTS', inbox) == 1 and tonumber(call('GET', inboxBytes) or '0') < MOST_INBOX_BYTES / 2
end
for number = 1, firstCount do
  local k, a = FIXED + inboxCount + PER_FIRST * (number - 1), firstOfFirsts + FIRST_ARGS * (number - 1)
  local request, flight = unpack(KEYS, k + 1, k + PER_FIRST)
  local id, start, inbox, stream, frames = unpack(ARGV, a + 1, a + FIRST_ARGS)
  inbox = tonumber(inbox)
  local isAllowed, wasShown = mayShow(request, flight, id, start)
  local isVisible = isAllowed and (isOpen[inbox] or wasShown)
  firsts[number] = not isAllowed and 'refused' or isVisible and 'visible' or 'later'
  if isVisible and stream ~= '0' then
    call('HSET', numbers, stream, start .. ' ' .. id)
    noted[#noted + 1] = frames
  end
  if isAllowed and isOpen[inbox] then
    if not wasShown then show(request, start) end
    local list = stream == '0' and lists[inbox] or entries[inbox]
    if stream ~= '0' then list[#list + 1] = format('%s %s %s', stream, start, id) end
    list[#list + 1] = frames
  end
end

local function send(number, fields, bytes)
  local inbox, inboxBytes = inboxOf(number)
  sendReplies(inbox, inboxBytes, fields, bytes)
  inboxes[number] = 1
end
for number = 1, inboxCount do
  inboxes[number] = 0
  local entry, list = entries[number], lists[number]
  if isOpen[number] and (entry[4] ~= '' or #entry > 4) then
    local bytes = 0
    for field = 4, #entry, 2 do bytes = bytes + #entry[field] end
    send(number, entry, bytes)
  end
  if isOpen[number] and #list > 0 then
    local json = '[' .. table.concat(list, ',') .. ']'
    send(number, { 'frames', json }, #json)
  end
end
if #noted > 0 then
  local text = table.concat(noted)
  local length = call('APPEND', journal, text)
  if length == #text then
    call('PEXPIRE', journal, ttl)
    call('PEXPIRE', numbers, ttl)
  elseif length > MOST_JOURNAL_BYTES then
    call('DEL', journal)
  end
end
return { firsts, inboxes }
