-- Asked by a worker that starts a job again (a retry, or the job of a worker that died): may it go on?
--
-- KEYS[1]  request hash
-- KEYS[2]  key's flight        sorted set of the key's reservations
-- KEYS[3]  inbox               stream of the gateway that waits
-- KEYS[4]  free failures       list: when failures that may have cost money were given back to the key, Unix ms
-- KEYS[5]  inbox bytes
-- KEYS[6]  key record
-- ARGV[1]  request id
-- ARGV[2]  number of this start, from 2
-- ARGV[3]  how often the queue has taken the job back from a worker that was lost
-- ARGV[4]  when the job came, Unix ms
-- ARGV[5]  when Redis last came back, Unix ms: a lock that was lost while it was away says nothing against the job
-- ARGV[6]  '1' where this job is alone: no other suspect runs in this worker
-- ARGV[7]  deaths of workers from which on a job is a suspect, and runs alone
-- ARGV[8]  deaths of workers after which it is given up
-- ARGV[9]  free failures of a key in an hour
--
-- Returns { 'run', spent }     the request is unsettled; earlier starts are fenced off from now on. spent is 1 where a call
--                              that may have cost money is noted (note-start.lua), else 0
--         { 'left', spent }    as 'run', but the caller has left: it must be settled, and the model not called
--         { 'broken', spent }  text of an earlier start was visible: it must be settled as failed, and the model not called
--         { 'alone', spent }   as 'run', but only where no other suspect runs: ask again then; nothing is fenced off yet
--         { 'deadly', spent, deaths }  workers died of it, and it must not run again, but is to be settled as failed: too
--                              many died, or the model may have been called twice and the key cannot answer for more
--         { 'overtaken' }      a later start has been let run: this one's worker was so slow that its job was taken back. The
--                              model must not be called, nor anything settled
--         { 'settled' }        it was settled before; the reply has been sent again, and the model must not be called
--         { 'gone' }           there is no such reservation (any more): no caller waits
--
-- Each call that may have cost money beyond the second needs a free failure of its own, else a prompt that workers die of
-- would cost more than one that stalls. How many such calls were let run is noted (`beyond`), and counted by settle.lua
-- where no answer comes of them. Nor is one let run on a key's last credit: its caller may leave in it, and no credit
-- stands for three calls.
--
-- A lock that was lost while Redis was away says nothing against the job, once: as often as that happens the model is
-- called again, and each further time counts as a death.
--
-- Idempotent: the fence only grows, each loss is counted once, and a repeated reply is recognised by its request id.

local call, format = redis.call, string.format
--- @include <clock>
--- @include <send-replies>
--- @include <free-failures>

-- Calls that a credit, or a free failure, stands for.
local CALLS_PAID = 2
-- Losses that an absence of Redis explains.
local MOST_EXCUSED = 1

-- Whether the key can answer for so many calls beyond those that are paid for.
local function canAnswerFor(beyond)
  if beyond <= 0 then return true end
  if not hasFree(KEYS[4], beyond, tonumber(ARGV[9]), now) then return false end
  local credits, charged = unpack(call('HMGET', KEYS[6], 'credits', 'charged'))
  return not credits or tonumber(charged or '0') < tonumber(credits)
end

local result, left, spent, fence, begun, losses, deaths, excused, visible =
  unpack(call('HMGET', KEYS[1], 'result', 'left', 'spent', 'fence', 'begun', 'losses', 'deaths', 'excused', 'visible'))
if result then
  sendReplies(KEYS[3], KEYS[5], { 'id', ARGV[1], 'settlement', result }, #result)
  return { 'settled' }
end
if not call('ZSCORE', KEYS[2], ARGV[1]) then return { 'gone' } end

local start = tonumber(ARGV[2])
fence = tonumber(fence or '1')
if start < fence then return { 'overtaken' } end

spent = spent and 1 or 0
deaths, excused = tonumber(deaths or '0'), tonumber(excused or '0')
local lost = tonumber(ARGV[3]) - tonumber(losses or '0')
if lost > 0 then
  -- Starts after the fence were never let run: they waited to be alone, or their worker died before they could ask, and
  -- did no harm. Only if more were lost than those, the one that ran was.
  if lost > start - 1 - fence then
    local wasAway = tonumber(begun or ARGV[4]) <= tonumber(ARGV[5])
    if wasAway and excused < MOST_EXCUSED then excused = excused + 1 else deaths = deaths + 1 end
  end
  call('HSET', KEYS[1], 'losses', ARGV[3], 'deaths', deaths, 'excused', excused)
end
-- Calls beyond those that are paid for, the next one included.
local beyond = deaths + spent + 1 - CALLS_PAID
-- What was seen of one start is followed by no other's text (<become-visible>).
local isBroken = visible and visible ~= ARGV[2]
-- The job of a caller who has left, or of a stream that is broken, does no more harm, however many died of it: the model is
-- not called.
local isOver = left or isBroken
if not isOver then
  if deaths >= tonumber(ARGV[8]) or not canAnswerFor(beyond) then return { 'deadly', spent, deaths } end
  if deaths >= tonumber(ARGV[7]) and ARGV[6] ~= '1' then return { 'alone', spent } end
end

if start > fence then
  call('HSET', KEYS[1], 'fence', ARGV[2], 'begun', format('%.0f', now))
  if beyond > 0 and not isOver then call('HSET', KEYS[1], 'beyond', beyond) end
end
return { left and 'left' or isBroken and 'broken' or 'run', spent }
