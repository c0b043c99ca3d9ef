-- What the fleet knows of an upstream: whether its breaker is open, until when it wants no calls, and how many it bears at
-- once. The same rules as in upstream-state.ts, where they are explained; a test holds that both come to the same.
--
-- Needs  call
-- Gives  readState(text)                  a state, from what GET gives
--        readOutcome(at)                  an outcome, and where the next one stands
--        noteOutcome(state, outcome, now) the state after it; the table is changed
--        keepState(key, state)            writes it
--
-- A state is JSON with whole numbers alone, so that nothing is lost on its way.

local SLOT_MS, SLOTS = 5000, 6
local MOST_FAILURES_IN_ROW, ENOUGH_TO_JUDGE = 5, 20
local OPEN_MS, LONGEST_OPEN_MS, PROBE_AGAIN_MS = 5000, 300000, 1000
local SHORT_ALONE_MS, LONGEST_ALONE_MS = 1000, 300000
local QUIET_MS = 600000
local STATE_KEPT_MS = '3600000'
local OUTCOME_ARGS = 7

local function readState(text)
  local state = text and cjson.decode(text) or {}
  for _, field in ipairs({
    'seq', 'failuresInRow', 'opens', 'openUntil', 'closedAt', 'aloneUntil', 'tryFrom', 'limit', 'ceiling', 'cutAt', 'troubledAt',
  }) do
    state[field] = state[field] or 0
  end
  state.probe = state.probe or ''
  state.openedBy = state.openedBy or ''
  state.window = state.window or {}
  return state
end

local function keepState(key, state)
  -- An empty table would be written as an object.
  if #state.window == 0 then state.window = nil end
  local text = cjson.encode(state)
  call('SET', key, text, 'PX', STATE_KEPT_MS)
  state.window = state.window or {}
  return text
end

local function readOutcome(at)
  local class, kind, id, beganAt, retryAfterMs, count, inFlight = unpack(ARGV, at, at + OUTCOME_ARGS - 1)
  return {
    class = class,
    kind = kind,
    id = id,
    beganAt = tonumber(beganAt),
    retryAfterMs = tonumber(retryAfterMs),
    count = tonumber(count),
    inFlight = tonumber(inFlight),
  }, at + OUTCOME_ARGS
end

-- Slots of the last 30 s, each as three numbers: its number, answers, failures.
local function addToWindow(state, now, answered, failed)
  local slot = math.floor(now / SLOT_MS)
  local kept = {}
  for at = 1, #state.window, 3 do
    if state.window[at] > slot - SLOTS and state.window[at] <= slot then
      for i = at, at + 2 do kept[#kept + 1] = state.window[i] end
    end
  end
  if kept[#kept - 2] ~= slot then
    kept[#kept + 1] = slot
    kept[#kept + 1] = 0
    kept[#kept + 1] = 0
  end
  kept[#kept - 1] = kept[#kept - 1] + answered
  kept[#kept] = kept[#kept] + failed
  state.window = kept
end

local function open(state, kind, now)
  state.opens = state.opens + 1
  state.openUntil = now + math.min(OPEN_MS * state.opens, LONGEST_OPEN_MS)
  state.openedBy = kind
  state.probe = ''
end

local function close(state, now)
  state.openUntil, state.opens, state.failuresInRow, state.closedAt = 0, 0, 0, now
  state.openedBy, state.probe, state.tryFrom, state.window = '', '', 0, {}
end

local function leaveAlone(state, saidMs, now)
  state.aloneUntil = math.max(state.aloneUntil, now + math.min(saidMs or SHORT_ALONE_MS, LONGEST_ALONE_MS))
  if saidMs and saidMs >= SHORT_ALONE_MS then state.tryFrom = state.aloneUntil end
end

local function bear(state, outcome, now)
  state.troubledAt = now
  if outcome.beganAt < state.cutAt then return end
  local borne = math.max(outcome.inFlight, 1)
  if state.limit > 0 then borne = math.min(borne, math.floor(state.limit / 1000)) end
  state.ceiling = borne * 1000
  state.limit = math.max(1, math.floor(borne / 2)) * 1000
  state.cutAt = now
end

local function bearMore(state, outcome, now)
  if state.limit == 0 then return end
  if now - state.troubledAt >= QUIET_MS then
    state.limit, state.ceiling, state.cutAt = 0, 0, 0
    return
  end
  if outcome.inFlight * 1250 < math.floor(state.limit / 1000) * 1000 then return end
  local growth = math.floor(outcome.count * 1000000 / state.limit)
  local isNearCeiling = state.limit * 10 >= state.ceiling * 9 and state.limit * 2 < state.ceiling * 3
  if isNearCeiling then growth = math.floor(growth / 4) end
  state.limit = state.limit + growth
end

local function fail(state, outcome, now)
  if outcome.retryAfterMs then leaveAlone(state, outcome.retryAfterMs, now) end
  if state.openUntil > 0 then
    if state.probe == outcome.id then open(state, outcome.kind, now) end
    return
  end
  if outcome.beganAt < state.closedAt then return end
  state.failuresInRow = state.failuresInRow + 1
  addToWindow(state, now, 0, 1)
  local answered, failed = 0, 0
  for at = 1, #state.window, 3 do
    answered, failed = answered + state.window[at + 1], failed + state.window[at + 2]
  end
  local isHalf = answered + failed >= ENOUGH_TO_JUDGE and failed >= answered
  if isHalf or state.failuresInRow >= MOST_FAILURES_IN_ROW then open(state, outcome.kind, now) end
end

local function noteOutcome(state, outcome, now)
  local class = outcome.class
  local wasOpen = state.openUntil > 0
  local isTried = state.probe ~= '' and state.probe == outcome.id
  local isProbe = isTried and wasOpen
  if isTried and not isProbe then state.probe = '' end
  if class == 'unknown' then
    if isProbe then state.probe, state.openUntil = '', now + PROBE_AGAIN_MS end
  elseif class == 'answered' then
    if isProbe then close(state, now) end
    if state.openUntil == 0 then
      state.failuresInRow = 0
      if now >= state.tryFrom then state.tryFrom = 0 end
      addToWindow(state, now, outcome.count, 0)
    end
    bearMore(state, outcome, now)
  elseif class == 'limited' then
    if isProbe then close(state, now) end
    leaveAlone(state, outcome.retryAfterMs, now)
    if not wasOpen and not isTried then bear(state, outcome, now) end
  elseif class == 'unauthorized' then
    if state.openUntil == 0 or isProbe then open(state, outcome.kind, now) end
  else
    fail(state, outcome, now)
    if class == 'stalled' and not wasOpen then bear(state, outcome, now) end
  end
  state.seq = state.seq + 1
end
