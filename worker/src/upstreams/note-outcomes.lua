-- Notes how calls to one upstream ended, and gives their places back.
--
-- KEYS[1]  state    string: what the fleet knows of the upstream, JSON (upstream-state.ts)
-- KEYS[2]  places   sorted set: calls in flight that have a place, by when it ends without renewal, Unix ms
-- KEYS[3]  rates    hash: calls (`c`) and tokens (`t`) by slot of ten seconds
-- KEYS[4]  workers  hash: a field for each worker
-- ARGV[1]  name of the upstream
-- ARGV[2]  channel on which changes are told
-- ARGV[3]  tokens used beyond those that were expected when the calls were let go; may be less than 0
-- ARGV[4]  when that was sent, Unix ms: what Redis gets so late that it was away meanwhile gives places back and says nothing
-- then for each outcome  its class, the kind of its error, the id of its call, when that began, Unix ms, for how long the
--   upstream wants no call, ms (or nothing), how many such outcomes it stands for, and how many calls to the upstream the
--   worker had in flight
--
-- Returns { state, how many places are taken }. What others have to act on is told on the channel: `name` and `state`.
--
-- Not idempotent: an outcome that is sent twice counts twice. So one whose answer was lost is not sent again; a place that it
-- did not give back ends by itself.

local call = redis.call
--- @include <clock>
--- @include "includes/upstream-state"
--- @include "includes/rate-slots"

local stateKey, places, rates, workers = unpack(KEYS)
local name, channel, tokens, toldAt = unpack(ARGV, 1, 4)
local LATE_MS = 5000

call('ZREMRANGEBYSCORE', places, '-inf', string.format('%.0f', now))
local taken = call('ZCARD', places)
local text = call('GET', stateKey)
local state = readState(text)
local before = { state.openUntil, state.aloneUntil, state.tryFrom, math.floor(state.limit / 1000), state.failuresInRow == 0 }
local at, finished = 5, {}
local isLate = now - tonumber(toldAt) > LATE_MS
local fleet
while at <= #ARGV do
  local outcome
  outcome, at = readOutcome(at)
  -- Where no places are taken, each worker knows its own calls alone: the others are taken to have as many.
  if taken > 0 then
    outcome.inFlight = taken
  else
    fleet = fleet or math.max(1, call('HLEN', workers))
    outcome.inFlight = outcome.inFlight * fleet
  end
  if isLate then outcome.class = 'unknown' end
  noteOutcome(state, outcome, now)
  if outcome.id ~= '' then finished[#finished + 1] = outcome.id end
end
if #finished > 0 and taken > 0 then taken = taken - call('ZREM', places, unpack(finished)) end
if tokens ~= '0' then addRate(rates, 't', tonumber(tokens), now) end

local written = keepState(stateKey, state)
local after = { state.openUntil, state.aloneUntil, state.tryFrom, math.floor(state.limit / 1000), state.failuresInRow == 0 }
for i = 1, #after do
  if before[i] ~= after[i] then
    call('PUBLISH', channel, cjson.encode({ name = name, state = written }))
    break
  end
end
return { written, taken }
