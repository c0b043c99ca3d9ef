-- Sends masked pieces of answers to the inboxes of the gateways that stream them, one entry for each.
--
-- for each inbox        KEYS  its stream, its bytes
-- for each first frame  KEYS  request hash, key's flight
-- ARGV[1]  number of inboxes
-- ARGV[2]  number of first frames: of starts of which nothing is known to be visible yet
-- then for each inbox        frames of the others, JSON without the brackets around; '' for none
-- then for each first frame  request id, start, number of its inbox from 1, frames, JSON likewise
--
-- Returns { firsts, inboxes }
--   firsts   for each 'visible': it was written, and the start's later frames may follow without being asked about;
--            'refused': nothing of this start may be shown (any more), see <become-visible>;
--            'later': its inbox took nothing, and nothing is visible by it
--   inboxes  for each 1 where it took its frames; 0 where there is no such gateway, or it is far behind
--
-- Frames never displace replies: an inbox that is half full takes none. Its gateway finds the gap, and fills it from the
-- partial text or the stored result.
--
-- Not idempotent, but harmless: a frame that comes twice is known by its offset.

local call, format = redis.call, string.format
--- @include <send-replies>
--- @include <become-visible>

local PER_INBOX, PER_FIRST, HEAD, FIRST_ARGS = 2, 2, 2, 4
local inboxCount, firstCount = tonumber(ARGV[1]), tonumber(ARGV[2])
local parts, isOpen, inboxes, firsts = {}, {}, {}, {}

for number = 1, inboxCount do
  local inbox, inboxBytes = unpack(KEYS, PER_INBOX * (number - 1) + 1, PER_INBOX * number)
  local others = ARGV[HEAD + number]
  parts[number] = others ~= '' and { others } or {}
  isOpen[number] = call('EXISTS', inbox) == 1 and tonumber(call('GET', inboxBytes) or '0') < MOST_INBOX_BYTES / 2
end
for number = 1, firstCount do
  local k, a = PER_INBOX * inboxCount + PER_FIRST * (number - 1), HEAD + inboxCount + FIRST_ARGS * (number - 1)
  local request, flight = unpack(KEYS, k + 1, k + PER_FIRST)
  local id, start, inbox, frames = unpack(ARGV, a + 1, a + FIRST_ARGS)
  inbox = tonumber(inbox)
  local isAllowed, wasShown = mayShow(request, flight, id, start)
  firsts[number] = not isAllowed and 'refused' or (isOpen[inbox] or wasShown) and 'visible' or 'later'
  if isAllowed and isOpen[inbox] then
    if not wasShown then show(request, start) end
    parts[inbox][#parts[inbox] + 1] = frames
  end
end
for number = 1, inboxCount do
  local isWritten = isOpen[number] and #parts[number] > 0
  if isWritten then
    local json = '[' .. table.concat(parts[number], ',') .. ']'
    sendReplies(KEYS[PER_INBOX * (number - 1) + 1], KEYS[PER_INBOX * number], { 'frames', json }, #json)
  end
  inboxes[number] = isWritten and 1 or 0
end
return { firsts, inboxes }
