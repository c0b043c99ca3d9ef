-- Judges an admin token, counts the request under its token and address, and bad tokens under the address. Redis TIME is
-- the clock.
--
-- KEYS[1]  tokens     hash: id to record, JSON, see shared/src/admin/admin-tokens.ts
-- KEYS[2]  uses       hash: id to when it was last used, Unix ms
-- KEYS[3]  bad        string with expiry: bad tokens of the address
-- KEYS[4]  ban        string with expiry: the address has tried too many
-- KEYS[5]  ofAddress  string with expiry: its requests in this minute
-- KEYS[6]  ofToken    the same of the token
-- ARGV[1]  'token'; 'none' where what was given cannot be one, 'nothing' where nothing was, or where a session is shown
-- ARGV[2]  the token's id, and ARGV[3] its hash; '' for the others
-- ARGV[4]  bad tokens before the address is banned, ARGV[5] how long they are remembered from the first on, ms, and
-- ARGV[6]  how long the ban lasts, ms
-- ARGV[7]  requests of an address, and ARGV[8] of a token, in a minute
-- ARGV[9]  how old the note of when a token was used may become, ms
--
-- Returns { 'good', record }, { 'revoked' }, { 'expired' }, { 'unknown' }, { 'nothing' },
--         { 'banned', ms, isNew }          for so long; a good token passes; isNew = 1 where this request brought it about
--         { 'limited', ms, most, whose }   for so long, because 'token' or 'address' had `most`; nothing else was judged
--
-- One step, because guesses that come side by side would all find the counter below its bound. Repeated, it counts again.
-- A Redis that is full or read-only refuses to count; operators need the API then more than ever.

--- @include <clock>

local tokens, uses, bad, ban, ofAddress, ofToken = unpack(KEYS)
local MINUTE = 60000

local function count(key, forMs)
  local counted = redis.pcall('INCR', key)
  if type(counted) ~= 'number' then return 0 end
  if counted == 1 then redis.pcall('PEXPIRE', key, forMs) end
  return counted
end

local function left(key) return math.max(1, redis.call('PTTL', key)) end

local mostOfAddress, mostOfToken = tonumber(ARGV[7]), tonumber(ARGV[8])
if count(ofAddress, MINUTE) > mostOfAddress then return { 'limited', left(ofAddress), mostOfAddress, 'address' } end

local record
if ARGV[1] == 'token' then
  local text = redis.call('HGET', tokens, ARGV[2])
  local isRead, read = pcall(cjson.decode, text or '')
  if isRead and type(read) == 'table' and read.hash == ARGV[3] then record = read end
end

if record == nil then
  if redis.call('EXISTS', ban) == 1 then return { 'banned', left(ban), 0 } end
  if ARGV[1] == 'nothing' then return { 'nothing' } end
  if count(bad, ARGV[5]) >= tonumber(ARGV[4]) then
    redis.pcall('SET', ban, '1', 'PX', ARGV[6])
    redis.pcall('DEL', bad)
    return { 'banned', tonumber(ARGV[6]), 1 }
  end
  return { 'unknown' }
end
if record.revokedAt then return { 'revoked' } end
if record.expiresAt and record.expiresAt <= now then return { 'expired' } end
if count(ofToken, MINUTE) > mostOfToken then return { 'limited', left(ofToken), mostOfToken, 'token' } end
if now - tonumber(redis.call('HGET', uses, ARGV[2]) or '0') >= tonumber(ARGV[9]) then
  redis.pcall('HSET', uses, ARGV[2], string.format('%.0f', now))
end
return { 'good', cjson.encode({ name = record.name, role = record.role }) }
