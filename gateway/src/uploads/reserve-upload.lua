-- Takes one of an address's uploads of the day and the room that the upload needs, or refuses: all or nothing.
--
-- KEYS[1]  day count    string: uploads of the address in this UTC day, those in work included
-- KEYS[2]  upload       hash of the upload
-- KEYS[3]  open         sorted set: ids of uploads in work or being removed, by when their lease ends, Unix ms
-- KEYS[4]  storage      hash: bytes taken by all uploads and by each API key's, see shared/src/redis-keys.ts
-- KEYS[5]  key uploads  sorted set: uploads of the API key that the storage counts, by when they were made, Unix ms
-- KEYS[6]  key record   hash of the API key, see shared/src/api-key-record.ts
-- ARGV[1]  upload id
-- ARGV[2]  uploads that the address may make in a day
-- ARGV[3]  now, Unix ms
-- ARGV[4]  when the lease ends, Unix ms
-- ARGV[5]  UTC day of the count
-- ARGV[6]  address of the count
-- ARGV[7]  id of the API key
-- ARGV[8]  bytes that the upload needs
-- ARGV[9]  'whole'    it needs all of them
--          'at-most'  its size is not known: what is left will do, and is all that it gets
-- ARGV[10] bytes that all uploads may take
-- ARGV[11] bytes that a key's uploads may take where its record does not say
-- ARGV[12] bytes for each of which one file more may be kept
-- ARGV[13] files that may be kept however few bytes are allowed
--
-- Returns { decision, uploads of the address's day, … }; the day includes this upload where it is reserved.
--   'reserved'  … bytes reserved, 'key' or 'all': whose room would be full if there were more
--   'day'       the day is used up
--   'credits'   … credits used, credits of the key: it has none left
--   'key'       … bytes that the key's uploads take, bytes they may, their number: no room
--   'all'       no room in the storage
--
-- What is reserved is counted as taken, in the storage and in the key's uploads, until the upload is kept (keep-upload.lua
-- puts the true size in its place) or forgotten (forget-upload.lua takes it out).
--
-- Idempotent by upload id: a repeated call finds the upload and counts nothing.

local used = tonumber(redis.call('GET', KEYS[1]) or '0')
local held, room = unpack(redis.call('HMGET', KEYS[2], 'held', 'room'))
if held then return { 'reserved', used, tonumber(held), room } end

local credits, charged, own = unpack(redis.call('HMGET', KEYS[6], 'credits', 'charged', 'storage'))
charged = tonumber(charged or '0')
if credits and charged >= tonumber(credits) then return { 'credits', used, charged, tonumber(credits) } end
if used >= tonumber(ARGV[2]) then return { 'day', used } end

-- Thousands of tiny files would take names and blocks of the disk that no sum of bytes counts.
local function leftOf(limit, bytes, files)
  if files >= math.max(tonumber(ARGV[13]), limit / tonumber(ARGV[12])) then return 0 end
  return limit - bytes
end

local field = 'key:' .. ARGV[7]
local allBytes, allFiles, keyBytes = unpack(redis.call('HMGET', KEYS[4], 'bytes', 'files', field))
local keyLimit, keyFiles = tonumber(own or ARGV[11]), redis.call('ZCARD', KEYS[5])
keyBytes = tonumber(keyBytes or '0')
local keyLeft = leftOf(keyLimit, keyBytes, keyFiles)
local allLeft = leftOf(tonumber(ARGV[10]), tonumber(allBytes or '0'), tonumber(allFiles or '0'))
local bytes = tonumber(ARGV[8])
local least = ARGV[9] == 'whole' and bytes or 1
if keyLeft <= 0 or keyLeft < least then return { 'key', used, keyBytes, keyLimit, keyFiles } end
if allLeft <= 0 or allLeft < least then return { 'all', used } end

room = keyLeft <= allLeft and 'key' or 'all'
bytes = math.min(bytes, keyLeft, allLeft)
used = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], 172800)
redis.call('HSET', KEYS[2], 'state', 'open', 'day', ARGV[5], 'address', ARGV[6], 'owner', ARGV[7],
  'held', string.format('%d', bytes), 'room', room)
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
redis.call('ZADD', KEYS[5], ARGV[3], ARGV[1])
redis.call('HINCRBY', KEYS[4], 'files', 1)
redis.call('HINCRBY', KEYS[4], 'bytes', string.format('%d', bytes))
redis.call('HINCRBY', KEYS[4], field, string.format('%d', bytes))
return { 'reserved', used, bytes, room }
