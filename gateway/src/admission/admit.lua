-- Admits or refuses one request, all or nothing, in one round trip. Redis TIME is the clock.
--
-- KEYS[1]  address hour      list: sliding hour of the address
-- KEYS[2]  address bad keys  list: sliding ten minutes of bad keys tried from the address
-- KEYS[3]  address ban       string with expiry
-- KEYS[4]  blocked           sorted set of addresses banned or over their hour, by when that ends
-- KEYS[5]  key record        hash of the API key that the caller names
-- KEYS[6]  key hour          list: sliding hour of the key
-- KEYS[7]  key flight        sorted set: the key's reservations, the ids of its unsettled requests, by when they end
-- KEYS[8]  request           hash: exists once this request was settled, or its job started again
-- KEYS[9]  keys in flight    sorted set of keys with reservations, by when the sweeper has to look at them
-- KEYS[10] waiting jobs      list: the queue's waiting jobs
-- ARGV[1]  'generate'  count the address, judge the key, reserve
--          'count'     count the address; tell whether the key is genuine, charge nothing
--          'bad-key'   count the address, and a bad key that needs no look-up
--          'check'     count the address, judge the key; charge and reserve nothing (uploads)
--          'judge'     judge the key alone, for paths outside /api/, which no hour counts
-- ARGV[2]  address in the form that limits are counted by
-- ARGV[3]  requests that the address may make in an hour
-- ARGV[4]  bad keys that ban the address; 0 never bans
-- ARGV[5]  request id
-- ARGV[6]  HMAC of the caller's key; '' when none was given
-- ARGV[7]  public model name
-- ARGV[8]  the caller's address as bits
-- ARGV[9]  how long the reservation lasts at most, ms
-- ARGV[10] waiting jobs at most
-- ARGV[11] id of the caller's key
--
-- Returns { decision, reason, genuine, now,
--           address used, address reset, hour used, hour limit, hour reset, day used, day limit, day reset,
--           charged, credits, in flight, concurrency, output-token cap, seconds until a block ends }
--   decision  'admitted', 'counted', 'address_blocked', 'address_limited', 'unknown_key', 'key_not_active', 'queue_full',
--             'key_hour', 'key_day', 'credits', 'concurrency'
--   reason    of 'key_not_active': 'revoked', 'expired', 'model', 'address'
--   genuine   1 where the key exists and was proven, else 0
--   now       Unix ms; resets are Unix seconds; limits and caps are -1 where there is none
--
-- A refused request is never charged to a key. The address counts every request that its own limit lets through, good
-- or bad. Idempotent by request id: a repeated 'generate' finds its reservation, or that it was settled, and changes
-- nothing. The reservation is the one entry in the key's flight: whoever takes it away, by settling, decides its charge.
--
-- A sliding window is a list with one entry for each second that had a request. An entry is four numbers: second, base,
-- oldest and count, packed because to read them as text takes longer than the commands. The count runs on; base is the
-- count of the newest entry that had left when this one was written, and oldest the first second that had not, so that
-- the newest entry alone tells the window's state until another entry leaves. An entry leaves a whole second late, so
-- that no more than the limit fits into any 3,600 s, and memory is bounded by the seconds of the window. The newest entry
-- that has left stays in the list: its count is the next base.
--
-- Numbers go to Redis as strings, because Redis writes a number of Lua's with 17 digits first, at twice a command's cost.

local HOUR, TEN_MINUTES, BAN = 3600, 600, 3600

local call, format, sub, find = redis.call, string.format, string.sub, string.find
local writeEntry, readEntry, ENTRY = struct.pack, struct.unpack, '>I4dI4d'
local time = redis.call('TIME')
local second = tonumber(time[1])
local now = second * 1000 + math.floor(time[2] / 1000)

-- The state of a window: how many it holds, its oldest live second, its newest entry and what stands before the count.
local function look(key, span)
  local tail = call('LINDEX', key, '-1')
  if not tail then return { used = 0, count = 0, base = 0 } end
  local newest, base, oldest, count = readEntry(ENTRY, tail)
  if newest < second - span then
    call('DEL', key)
    return { used = 0, count = 0, base = 0 }
  end
  if oldest < second - span then
    base, oldest = select(4, readEntry(ENTRY, call('LINDEX', key, '0'))), nil
    while not oldest do
      local next, _, _, through = readEntry(ENTRY, call('LINDEX', key, '1'))
      if next >= second - span then
        oldest = next
      else
        call('LPOP', key)
        base = through
      end
    end
  end
  return { used = count - base, count = count, base = base, oldest = oldest, newest = newest }
end

local function add(key, span, window)
  window.count = window.count + 1
  window.used = window.used + 1
  window.oldest = window.oldest or second
  if window.newest and window.newest >= second then
    call('LSET', key, '-1', writeEntry(ENTRY, window.newest, window.base, window.oldest, window.count))
  else
    call('RPUSH', key, writeEntry(ENTRY, second, window.base, window.oldest, window.count))
    call('EXPIRE', key, format('%d', span + 2))
  end
end

-- When the window holds one less, Unix seconds; for an empty one, when a request made now would leave.
local function reset(window, span)
  return (window.oldest or second) + span + 1
end

local address = look(KEYS[1], HOUR)
local genuine, charged, credits, flight, concurrency, cap, blockedFor = 0, 0, -1, 0, -1, -1, 0
local hour, hourLimit = { used = 0 }, -1
local day, dayLimit = 0, -1
local today = math.floor(second / 86400)

local function answer(decision, reason)
  return {
    decision, reason or '', genuine, now,
    address.used, reset(address, HOUR), hour.used, hourLimit, reset(hour, HOUR), day, dayLimit, (today + 1) * 86400,
    charged, credits, flight, concurrency, cap, blockedFor,
  }
end

-- Notes until when the address is blocked, and drops those whose time is over.
local function block(till)
  call('ZREMRANGEBYSCORE', KEYS[4], '-inf', format('%d', now))
  call('ZADD', KEYS[4], format('%d', till), ARGV[2])
end

-- Whether this request was admitted before. Asked where it would be refused; who is admitted learns it by the way.
local function isRepeated()
  if ARGV[1] ~= 'generate' then return false end
  return call('EXISTS', KEYS[8]) == 1 or call('ZSCORE', KEYS[7], ARGV[5]) ~= false
end

-- One look for both, because most callers have neither a ban nor asked before.
local isKnown = call('EXISTS', KEYS[3], KEYS[8]) > 0
local isFull = ARGV[1] ~= 'judge' and address.used >= tonumber(ARGV[3])
local repeated = (isKnown or isFull) and isRepeated()

if not repeated then
  local ban = isKnown and call('TTL', KEYS[3]) or -2
  if ban ~= -2 then
    blockedFor = ban
    return answer('address_blocked')
  end
  if isFull then
    block(reset(address, HOUR) * 1000)
    return answer('address_limited')
  end
end

-- Answers a request that gets no reservation. The address counts it all the same, once.
local function dismiss(decision, reason)
  if ARGV[1] ~= 'judge' and not repeated and not isRepeated() then add(KEYS[1], HOUR, address) end
  return answer(decision, reason)
end

local function dismissBadKey()
  local most = tonumber(ARGV[4])
  if most == 0 then return dismiss('unknown_key') end
  local bad = look(KEYS[2], TEN_MINUTES)
  add(KEYS[2], TEN_MINUTES, bad)
  if bad.used >= most then
    call('SET', KEYS[3], 'brute-force', 'EX', format('%d', BAN))
    call('DEL', KEYS[2])
    block(now + BAN * 1000)
  end
  return dismiss('unknown_key')
end

if ARGV[1] == 'bad-key' then return dismissBadKey() end

local hash, state, expires, perHour, perDay, total, spent, places, models, networks, tokens, lastDay
if ARGV[6] ~= '' then
  local record = call('HMGET', KEYS[5], 'hash', 'state', 'expiresAt', 'perHour', 'perDay', 'credits', 'charged',
    'concurrency', 'models', 'addressBits', 'maxOutputTokens', 'lastDay')
  hash, state, expires, perHour, perDay, total, spent, places, models, networks, tokens, lastDay = unpack(record)
  if hash == ARGV[6] then
    genuine = 1
  elseif hash then
    local oldHash, oldUntil = unpack(call('HMGET', KEYS[5], 'oldHash', 'oldHashUntil'))
    if oldHash == ARGV[6] and now < tonumber(oldUntil or '0') then genuine = 1 end
  end
end
if ARGV[1] == 'count' then return dismiss('counted') end
if genuine == 0 then return dismissBadKey() end

local checks = ARGV[1] == 'check' or ARGV[1] == 'judge'

local function isAllowedModel()
  return models == ARGV[7] or find(',' .. models .. ',', ',' .. ARGV[7] .. ',', 1, true) ~= nil
end

-- Whether the caller's address begins with the bits of one of the key's networks.
local function isAllowedAddress()
  if sub(ARGV[8], 1, #networks) == networks then return true end
  for bits in string.gmatch(networks, '[^,]+') do
    if sub(ARGV[8], 1, #bits) == bits then return true end
  end
  return false
end

if state ~= 'active' then return dismiss('key_not_active', 'revoked') end
if expires and now >= tonumber(expires) then return dismiss('key_not_active', 'expired') end
if models and not checks and not isAllowedModel() then return dismiss('key_not_active', 'model') end
if networks and not isAllowedAddress() then return dismiss('key_not_active', 'address') end
if checks then return dismiss('counted') end

charged = tonumber(spent or '0')
credits = tonumber(total or '-1')
cap = tonumber(tokens or '-1')
hourLimit = tonumber(perHour or '-1')
dayLimit = tonumber(perDay or '-1')
concurrency = tonumber(places or '10')
if hourLimit >= 0 then hour = look(KEYS[6], HOUR) end
local ofToday
if dayLimit >= 0 then
  ofToday = format('%d:', today)
  if lastDay and sub(lastDay, 1, #ofToday) == ofToday then day = tonumber(sub(lastDay, #ofToday + 1)) end
end
flight = call('ZCARD', KEYS[7])
local isFirst = flight == 0
-- Reservations whose time is over hold no place, whether or not the sweeper has come by to settle them.
if flight >= concurrency then flight = call('ZCOUNT', KEYS[7], format('(%d', now), '+inf') end
if repeated then return answer('admitted') end

local refusal
if call('LLEN', KEYS[10]) >= tonumber(ARGV[10]) then refusal = 'queue_full'
elseif hourLimit >= 0 and hour.used >= hourLimit then refusal = 'key_hour'
elseif dayLimit >= 0 and day >= dayLimit then refusal = 'key_day'
elseif credits >= 0 and charged >= credits then refusal = 'credits'
elseif flight >= concurrency then refusal = 'concurrency'
end
if refusal then
  if isRepeated() then return answer('admitted') end
  return dismiss(refusal)
end

-- The reservation has no expiry: it stays until it is settled, by the sweeper if by nobody else.
local ends = format('%d', now + ARGV[9])
if call('ZADD', KEYS[7], 'NX', ends, ARGV[5]) == 0 then return answer('admitted') end
if isFirst then call('ZADD', KEYS[9], 'NX', ends, ARGV[11]) end
add(KEYS[1], HOUR, address)
charged = charged + 1
flight = flight + 1
if hourLimit >= 0 then add(KEYS[6], HOUR, hour) end
if dayLimit >= 0 then
  day = day + 1
  call('HSET', KEYS[5], 'charged', format('%d', charged), 'lastDay', ofToday .. format('%d', day))
else
  call('HSET', KEYS[5], 'charged', format('%d', charged))
end
return answer('admitted')
