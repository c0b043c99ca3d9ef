-- Takes a place at the first of several upstreams that takes a call now.
--
-- KEYS     for each upstream, the preferred one first, its state, its places and its rates (note-outcomes.lua)
-- ARGV[1]  id of the call
-- ARGV[2]  how long a place lasts without renewal, ms
-- ARGV[3]  tokens that the call is expected to use
-- then for each upstream  how many calls it may have in flight, calls and tokens a minute (0: no limit of the operator's), and
--   whether its breaker and its wish to be left alone bind (`1`), or its places alone (`0`)
--
-- Returns { which one, or 0; how long until one may take a call, ms; 1 where the call is the one that tries whether the
--   upstream is well again, else 0; then, of each upstream that was looked at, its state and how many places are taken }
--
-- Idempotent as far as places go: a call has one at each upstream. A place whose answer was lost ends by itself.

local call, format = redis.call, string.format
--- @include <clock>
--- @include "includes/upstream-state"
--- @include "includes/rate-slots"

local id, placeMs, tokens = unpack(ARGV, 1, 3)
-- Others are asked as often whether a place has become free, or what the call has found that tries.
local ASK_AGAIN_MS = 100
local NOW = format('%.0f', now)

-- The wait for the upstream's breaker and wish, ms, and whether this call may try it.
local function waitOf(state, places)
  local wait = math.max(0, state.aloneUntil - now)
  if state.openUntil == 0 and state.tryFrom == 0 then return wait, false end
  if state.openUntil > now then return math.max(wait, state.openUntil - now), false end
  if wait > 0 then return wait, false end
  local probeUntil = state.probe ~= '' and tonumber(call('ZSCORE', places, state.probe) or '0') or 0
  if probeUntil > now then return ASK_AGAIN_MS, false end
  return 0, true
end

local reply, soonest = { 0, 0, 0 }, nil
for i = 1, #KEYS / 3 do
  local stateKey, places, rates = unpack(KEYS, 3 * i - 2, 3 * i)
  local most, calls, perMinute, binds = unpack(ARGV, 4 * i, 4 * i + 3)
  most, calls, perMinute = tonumber(most), tonumber(calls), tonumber(perMinute)
  -- Places that have ended are taken out where outcomes are noted.
  local taken, text = call('ZCOUNT', places, '(' .. NOW, '+inf'), call('GET', stateKey)
  local state = readState(text)
  reply[#reply + 1] = text or ''
  reply[#reply + 1] = taken
  local wait, isProbe = 0, false
  if binds == '1' then wait, isProbe = waitOf(state, places) end
  local adaptive = math.floor(state.limit / 1000)
  if adaptive > 0 and (most == 0 or adaptive < most) then most = adaptive end
  if wait == 0 and most > 0 and taken >= most then wait = ASK_AGAIN_MS end
  if wait == 0 and calls > 0 then wait = rateWait(rates, 'c', 1, calls, now) end
  if wait == 0 and perMinute > 0 then wait = rateWait(rates, 't', tonumber(tokens), perMinute, now) end
  if wait == 0 then
    if most > 0 or isProbe then
      call('ZADD', places, format('%.0f', now + placeMs), id)
      call('PEXPIRE', places, '60000')
      reply[#reply] = taken + 1
    end
    if calls > 0 then addRate(rates, 'c', 1, now) end
    if perMinute > 0 then addRate(rates, 't', tonumber(tokens), now) end
    if isProbe then
      state.probe = id
      state.seq = state.seq + 1
      reply[#reply - 1] = keepState(stateKey, state)
    end
    reply[1], reply[3] = i, isProbe and 1 or 0
    return reply
  end
  if not soonest or wait < soonest then soonest = wait end
end
reply[2] = math.ceil(soonest or 0)
return reply
