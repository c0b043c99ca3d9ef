-- What a worker tells Redis in one turn of its event loop: settles the requests whose work has ended, finishes their jobs,
-- replies to the gateways that wait, and takes the next jobs.
--
-- KEYS[1…7]  waiting, active, stalled, delayed, prioritized, marker and meta of the queue: see shared/src/queue/queue-keys.ts
-- then for each inbox   its stream, its bytes
-- then for each ending  request hash, key's flight, key record, job, job's lock, free failures
-- then for each streamed ending  partial text, partial reasoning, followers
-- ARGV[1]  what the keys of the queue's jobs begin with
-- ARGV[2]  lock of the jobs taken: no other turn has the same
-- ARGV[3]  how long a lock lasts, ms
-- ARGV[4]  jobs to take at most; 0 takes none
-- ARGV[5]  bytes of jobs after which no further one is taken
-- ARGV[6]  how long results are kept, ms
-- ARGV[7]  number of inboxes
-- ARGV[8]  number of endings
-- ARGV[9]  how many of them are of requests that were streamed
-- then for each ending
--   request id
--   lock of the job, to finish it; '' leaves it as it is
--   terms    see <settle-request>; '' settles nothing, and the rest is ''
--   fence
--   number of the inbox, from 1
--   the settlement, JSON, where the key pays; '' of a streamed answer; '=' and its bytes where it is prepared: a hash named
--     as the request's, ':' and the lock of the job has it as its `result`, and its gateway reads replies that name it
--   the settlement, JSON, where it does not; '' where it pays in any case
--   cost
--   free failures of a key in an hour
-- then for each streamed ending
--   its number among the endings, from 1
--   numbers of the inboxes of gateways that follow, with commas between
--   the answer, JSON, without text and reasoning; '' where the settlement is no answer
--   for text, then for reasoning
--     bytes of it that the partial text has at least
--     SHA-1 of these, hexadecimal; '' where they are 0
--     what follows them
--     UTF-16 units of the whole
--
-- Returns { endings, jobs, next }
--   endings  for each { settled, charge, JSON, finished }, or { 'error', message } where it failed; the others are whole
--              settled   as <settle-request> says; '' where nothing was to be settled; 'incomplete' where a partial text is not
--                        what it was said to be, or what was to be prepared is not there: nothing was settled or finished, and
--                        the ending is to be sent with its text
--              charge    of 'settled' and 'already', else ''
--              JSON      of 'already', else ''
--              finished  'finished'; 'lost' where the lock has ended or is another start's, and the job was left alone;
--                        'gone' where there is no such job; '' where it was not to be finished
--   jobs     the jobs taken, each { id, fields and values of its hash }; { 'error', message } where taking failed
--   next     when the next delayed job is due, Unix ms as text; '0' where none is
--
-- Endings are idempotent by request id and lock. Taking is not: what was taken under a lock whose reply was lost is given back
-- by worker/src/recovery/give-back-unheard.lua.

--- @include <clock>
--- @include <settle-request>
--- @include <send-replies>

local QUEUE_KEYS, PER_INBOX, PER_ENDING, PER_STREAM, HEAD, ARGS, STREAM_ARGS = 7, 2, 6, 3, 9, 9, 11
local waiting, active, stalled, delayed, prioritized, marker, queueMeta = unpack(KEYS, 1, QUEUE_KEYS)
local jobPrefix, lock, lockMs, most, mostBytes, ttl, inboxCount, endingCount, streamCount = unpack(ARGV, 1, HEAD)
local firstEnding = QUEUE_KEYS + PER_INBOX * tonumber(inboxCount)
local firstStream, firstStreamArg = firstEnding + PER_ENDING * tonumber(endingCount), HEAD + ARGS * tonumber(endingCount)

--- @include <take-jobs>

local replies, names, finished, streams = {}, {}, {}, {}
for number = 0, tonumber(streamCount) - 1 do
  local a = firstStreamArg + STREAM_ARGS * number
  local ending, followers, head = unpack(ARGV, a + 1, a + 3)
  streams[tonumber(ending)] = { keys = firstStream + PER_STREAM * number, args = a + 3, head = head, followers = followers }
end

-- One text of a streamed answer, as JSON; nil where its partial text is not what it should be.
local function textOf(key, bytes, sha1, rest)
  if bytes == '0' then return cjson.encode(rest) end
  local kept = (call('GET', key) or ''):sub(1, tonumber(bytes))
  if redis.sha1hex(kept) ~= sha1 then return nil end
  return cjson.encode(kept .. rest)
end

-- The answer as it is stored, and as its gateways get it: without what frames have brought. nil as textOf.
local function answerOf(stream)
  local a, head = stream.args, stream.head:sub(1, -2)
  local text = textOf(KEYS[stream.keys + 1], unpack(ARGV, a + 1, a + 3))
  local reasoning = text and textOf(KEYS[stream.keys + 2], unpack(ARGV, a + 5, a + 7))
  if not reasoning then return nil end
  local textLength, reasoningLength = ARGV[a + 4], ARGV[a + 8]
  local hasReasoning = reasoningLength ~= '0'
  return head .. ',"text":' .. text .. (hasReasoning and ',"reasoning":' .. reasoning or '') .. '}',
    head .. ',"text":"","textLength":' .. textLength .. (hasReasoning and ',"reasoningLength":' .. reasoningLength or '') .. '}'
end

-- As BullMQ's moveToFinished does with a job that is not to be kept; only jobs that have children have further keys.
local function finish(id, job, jobLock, owner)
  local holder = call('GET', jobLock)
  if holder ~= owner then return (holder or call('EXISTS', job) == 1) and 'lost' or 'gone' end
  call('DEL', jobLock, job, job .. ':logs')
  call('LREM', active, '-1', id)
  finished[#finished + 1] = id
  return 'finished'
end

-- Adds to what is sent to an inbox: so many bytes, in these fields.
local function gather(entries, inbox, bytes, ...)
  local entry = entries[inbox] or { fields = {}, bytes = 0 }
  for index = 1, select('#', ...) do entry.fields[#entry.fields + 1] = select(index, ...) end
  entry.bytes = entry.bytes + bytes
  entries[inbox] = entry
end

local function reply(inbox, id, settlement)
  gather(replies, inbox, #settlement, 'id', id, 'settlement', settlement)
end

-- Names a settlement that its gateway is to read: a script that had it in its hands would copy and hash each of its bytes.
local function name(inbox, id, bytes)
  gather(names, inbox, #id, 'stored', id, 'bytes', bytes)
end

-- What a stream leaves behind when its request is settled, and what each of its gateways gets.
local function endStream(stream, id, settlement)
  call('DEL', unpack(KEYS, stream.keys + 1, stream.keys + PER_STREAM))
  settlement = stream.short or settlement
  for inbox in stream.followers:gmatch('%d+') do reply(inbox, id, settlement) end
  return settlement
end

local function endStart(number)
  local k, a = firstEnding + PER_ENDING * (number - 1), HEAD + ARGS * (number - 1)
  local id, owner, terms, fence, inbox, paid, unpaid, cost, mostFree = unpack(ARGV, a + 1, a + ARGS)
  local request, flight, keyRecord, job, jobLock, freeFailures = unpack(KEYS, k + 1, k + PER_ENDING)
  local outcome, charge, settlement = '', '', ''
  local stream, bytes, prepared = streams[number], paid:match('^=(%d+)$'), nil
  if bytes then
    prepared = request .. ':' .. owner
    if call('HEXISTS', prepared, 'result') == 0 then return { 'incomplete', '', '', '' } end
  end
  if stream and stream.head ~= '' then
    paid, stream.short = answerOf(stream)
    if not paid then return { 'incomplete', '', '', '' } end
  end
  if terms ~= '' then
    outcome, charge, settlement =
      settleRequest(request, flight, keyRecord, job, freeFailures, id, terms, paid, ttl, fence, unpaid, cost, mostFree, prepared)
    if prepared and outcome == 'settled' then
      if inbox ~= '0' then name(inbox, id, bytes) end
    elseif prepared then
      call('UNLINK', prepared)
    elseif outcome == 'settled' then
      local sent = stream and endStream(stream, id, settlement) or settlement
      if inbox ~= '0' then reply(inbox, id, sent) end
    end
  end
  return { outcome, charge or '', outcome == 'already' and settlement or '', owner ~= '' and finish(id, job, jobLock, owner) or '' }
end

-- An error in one leaves the others whole. One after a settlement, as of an inbox that is no stream, loses nothing: the
-- result is stored, and found.
local function isolate(work, ...)
  local isDone, result, second = pcall(work, ...)
  if isDone then return result, second end
  return { 'error', type(result) == 'table' and result.err or tostring(result) }
end

local endings = {}
for number = 1, tonumber(endingCount) do endings[number] = isolate(endStart, number) end
if #finished > 0 then isolate(call, 'SREM', stalled, unpack(finished)) end
for _, entries in ipairs({ replies, names }) do
  for inbox, entry in pairs(entries) do
    local k = QUEUE_KEYS + PER_INBOX * (tonumber(inbox) - 1)
    isolate(sendReplies, KEYS[k + 1], KEYS[k + 2], entry.fields, entry.bytes)
  end
end
-- A take alone may have been sent long before (worker/src/takes-ahead.ts), and be given up by now.
if endingCount == '0' and call('EXISTS', jobPrefix .. 'void:' .. lock) == 1 then most = '0' end
if most == '0' then return { endings, {}, '0' } end
local jobs, nextAt = isolate(takeJobs, tonumber(most), tonumber(mostBytes), lock, lockMs)
return { endings, jobs, nextAt or '0' }
