-- Admits or refuses one request, all or nothing, in one round trip. Redis TIME is the clock.
--
-- KEYS[1]  address hour      list: sliding hour of the address
-- KEYS[2]  address bad keys  list: sliding ten minutes of bad keys tried from the address
-- KEYS[3]  address ban       string with expiry
-- KEYS[4]  blocked           sorted set of addresses banned or over their hour, by when that ends
-- KEYS[5]  key record        hash of the API key that the caller names, see shared/src/api-key-record.ts
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
--          'look'      tell the hour of the address, banned or not; count and judge nothing (health)
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
-- Returns one packed string, because a table of as many numbers takes Redis a microsecond longer: SHORT, or LONG for a key
-- that has terms. Both end with the decision and a zero byte.
--   decision  'admitted', 'counted', 'address_blocked', 'address_limited', 'unknown_key', 'queue_full',
--             'key_hour', 'key_day', 'credits', 'concurrency', or why the key is not active:
--             'revoked', 'expired', 'model', 'address'
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
-- The key's terms are what the operator decided of it, packed into one field: to read eight takes longer than any other
-- command here. The first admission packs them, the operator's every change takes them away (change-key.lua). Whoever
-- changes their layout has to change the field's name, because gateways of both versions may run side by side.
--
-- What costs time here is the commands first, then their arguments and the closures. Numbers go to Redis as
-- strings, because Redis writes a number of Lua's with 17 digits first, at twice a command's cost.

local HOUR, TEN_MINUTES, BAN = 3600, 600, 3600
local DEFAULT_CONCURRENCY = 10
-- second, base, oldest, count
local ENTRY = '>I4dI4d'
-- concurrency, expiresAt, perHour, perDay, credits, maxOutputTokens, and with their lengths models, addressBits
local TERMS = '>ddddddI4c0I4c0'
-- 0, genuine, now, address used, address reset, in flight, concurrency, seconds until a block ends (-1: never), decision
local SHORT = '>BBdI4I4I4di4s'
-- 1, genuine, now, address used, address reset, in flight, concurrency,
-- hour used, hour limit, hour reset, day used, day limit, charged, credits, output-token cap, decision
local LONG = '>BBdI4I4I4dI4dI4I4dddds'
-- The last day and its count are one number, day * DAY + count: exact in a double, and read at once.
local DAY = 10000000000
-- What fits into the answer of SHORT: 68 years.
local MOST_SECONDS = 2147483647

local call, format, sub, pack, unpackFrom = redis.call, string.format, string.sub, struct.pack, struct.unpack
local mode, requestId = ARGV[1], ARGV[5]
local time = redis.call('TIME')
local second = tonumber(time[1])
local now = second * 1000 + math.floor(time[2] / 1000)

-- The state of a window: how many it holds, the count that runs on, what stands before it, its oldest live second and its
-- newest entry's.
local function look(key, span)
  local tail = call('LINDEX', key, '-1')
  if not tail then return 0, 0, 0 end
  local newest, base, oldest, count = unpackFrom(ENTRY, tail)
  -- An entry further ahead than the span is from a clock that was wrong: it would count for as long as that was ahead.
  if newest < second - span or newest > second + span then
    call('DEL', key)
    return 0, 0, 0
  end
  if oldest < second - span then
    base, oldest = select(4, unpackFrom(ENTRY, call('LINDEX', key, '0'))), nil
    while not oldest do
      local next, _, _, through = unpackFrom(ENTRY, call('LINDEX', key, '1'))
      if next >= second - span then
        oldest = next
      else
        call('LPOP', key)
        base = through
      end
    end
  end
  return count - base, count, base, oldest, newest
end

-- Counts one request more in a window whose state is this.
local function add(key, span, count, base, oldest, newest)
  if newest and newest >= second then
    call('LSET', key, '-1', pack(ENTRY, newest, base, oldest, count + 1))
  else
    call('RPUSH', key, pack(ENTRY, second, base, oldest or second, count + 1))
    call('EXPIRE', key, format('%d', span + 2))
  end
end

local used, count, base, oldest, newest = look(KEYS[1], HOUR)
local genuine, flight, concurrency = 0, 0, -1
local hasTerms, hourLimit, dayLimit, credits, cap = false, -1, -1, -1, -1
local hourUsed, hourReset, day, charged = 0, 0, 0, 0

-- A window holds one less when its oldest second leaves; an empty one, when a request made now would.
local function answer(decision, blockedFor)
  local reset = (oldest or second) + HOUR + 1
  if not hasTerms then
    return pack(SHORT, 0, genuine, now, used, reset, flight, concurrency, blockedFor or 0, decision)
  end
  return pack(LONG, 1, genuine, now, used, reset, flight, concurrency,
    hourUsed, hourLimit, hourReset, day, dayLimit, charged, credits, cap, decision)
end

if mode == 'look' then return answer('counted') end

-- Notes until when the address is blocked, and drops those whose time is over.
local function block(till)
  call('ZREMRANGEBYSCORE', KEYS[4], '-inf', format('%d', now))
  call('ZADD', KEYS[4], format('%d', till), ARGV[2])
end

-- Whether this request was admitted before. Asked where it would be refused; who is admitted learns it by the way.
local function isRepeated()
  return mode == 'generate' and (call('EXISTS', KEYS[8]) == 1 or call('ZSCORE', KEYS[7], requestId) ~= false)
end

-- One look for both, because most callers have neither a ban nor asked before.
local isKnown = call('EXISTS', KEYS[3], KEYS[8]) > 0
local isFull = mode ~= 'judge' and used >= tonumber(ARGV[3])
local repeated = (isKnown or isFull) and isRepeated()

if not repeated then
  local ban = isKnown and call('TTL', KEYS[3]) or -2
  if ban ~= -2 then return answer('address_blocked', math.min(ban, MOST_SECONDS)) end
  if isFull then
    block(((oldest or second) + HOUR + 1) * 1000)
    return answer('address_limited')
  end
end

local function countAddress()
  add(KEYS[1], HOUR, count, base, oldest, newest)
  used = used + 1
end

-- Answers a request that gets no reservation. The address counts it all the same, once.
local function dismiss(decision)
  if mode ~= 'judge' and not repeated and not isRepeated() then countAddress() end
  return answer(decision)
end

local hash, state, terms, spent, dayCount
if ARGV[6] ~= '' and mode ~= 'bad-key' then
  hash, state, terms, spent, dayCount = unpack(call('HMGET', KEYS[5], 'hash', 'state', 'terms', 'charged', 'dayCount'))
  if hash == ARGV[6] then
    genuine = 1
  elseif hash then
    local oldHash, oldUntil = unpack(call('HMGET', KEYS[5], 'oldHash', 'oldHashUntil'))
    if oldHash == ARGV[6] and now < tonumber(oldUntil or '0') then genuine = 1 end
  end
end
if mode == 'count' then return dismiss('counted') end

if genuine == 0 then
  local most = tonumber(ARGV[4])
  if most > 0 then
    local bad, badCount, badBase, badOldest, badNewest = look(KEYS[2], TEN_MINUTES)
    add(KEYS[2], TEN_MINUTES, badCount, badBase, badOldest, badNewest)
    if bad + 1 >= most then
      call('SET', KEYS[3], 'brute-force', 'EX', format('%d', BAN))
      call('DEL', KEYS[2])
      block(now + BAN * 1000)
    end
  end
  return dismiss('unknown_key')
end

if state ~= 'active' then return dismiss('revoked') end

local newTerms
if not terms then
  local places, expires, perHour, perDay, total, tokens, models, networks = unpack(call('HMGET', KEYS[5],
    'concurrency', 'expiresAt', 'perHour', 'perDay', 'credits', 'maxOutputTokens', 'models', 'addressBits'))
  terms = ''
  if places or expires or perHour or perDay or total or tokens or models or networks then
    models, networks = models or '', networks or ''
    terms = pack(TERMS, tonumber(places or DEFAULT_CONCURRENCY), tonumber(expires or '-1'), tonumber(perHour or '-1'),
      tonumber(perDay or '-1'), tonumber(total or '-1'), tonumber(tokens or '-1'), #models, models, #networks, networks)
  end
  newTerms = terms
end

local checks = mode == 'check' or mode == 'judge'
local places, perHour, perDay, total, tokens = DEFAULT_CONCURRENCY, -1, -1, -1, -1
if terms ~= '' then
  local expires, models, networks
  places, expires, perHour, perDay, total, tokens, models, networks = unpackFrom(TERMS, terms)
  if expires >= 0 and now >= expires then return dismiss('expired') end
  if models ~= '' and models ~= ARGV[7] and not checks
    and not string.find(',' .. models .. ',', ',' .. ARGV[7] .. ',', 1, true) then
    return dismiss('model')
  end
  -- The caller's address has to begin with the bits of one of the key's networks.
  if networks ~= '' and sub(ARGV[8], 1, #networks) ~= networks then
    local isAllowed = false
    for bits in string.gmatch(networks, '[^,]+') do
      if sub(ARGV[8], 1, #bits) == bits then isAllowed = true end
    end
    if not isAllowed then return dismiss('address') end
  end
end
if checks then return dismiss('counted') end

hasTerms = terms ~= ''
concurrency, hourLimit, dayLimit, credits, cap = places, perHour, perDay, total, tokens
charged = tonumber(spent or '0')
local hourCount, hourBase, hourOldest, hourNewest
if hourLimit >= 0 then
  hourUsed, hourCount, hourBase, hourOldest, hourNewest = look(KEYS[6], HOUR)
  hourReset = (hourOldest or second) + HOUR + 1
end
local today
if dayLimit >= 0 then
  today = math.floor(second / 86400) * DAY
  local last = tonumber(dayCount or '0')
  if last >= today and last < today + DAY then day = last - today end
end
flight = call('ZCARD', KEYS[7])
local isFirst = flight == 0
-- Reservations whose time is over hold no place, whether or not the sweeper has come by to settle them.
if flight >= concurrency then flight = call('ZCOUNT', KEYS[7], format('(%d', now), '+inf') end
if repeated then return answer('admitted') end

local refusal
if call('LLEN', KEYS[10]) >= tonumber(ARGV[10]) then refusal = 'queue_full'
elseif hourLimit >= 0 and hourUsed >= hourLimit then refusal = 'key_hour'
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
if call('ZADD', KEYS[7], 'NX', ends, requestId) == 0 then return answer('admitted') end
if isFirst then call('ZADD', KEYS[9], 'NX', ends, ARGV[11]) end
countAddress()
charged = charged + 1
flight = flight + 1
if hourLimit >= 0 then
  add(KEYS[6], HOUR, hourCount, hourBase, hourOldest, hourNewest)
  hourUsed = hourUsed + 1
end
if newTerms then call('HSET', KEYS[5], 'terms', newTerms) end
if dayLimit >= 0 then
  day = day + 1
  call('HSET', KEYS[5], 'charged', format('%d', charged), 'dayCount', format('%d', today + day))
else
  call('HSET', KEYS[5], 'charged', format('%d', charged))
end
return answer('admitted')
