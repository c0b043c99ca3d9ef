-- Counts one request for a file under its address, and finds the file. Redis TIME is the clock.
--
-- KEYS[1]  upload             hash of the upload
-- KEYS[2]  address downloads  sliding window: the address's requests for files of an hour
-- KEYS[3]  address ban        string with expiry; holds who banned it
-- ARGV[1]  requests for files that the address may make in an hour
-- ARGV[2]  how long an upload is kept, ms; 0 for ever
-- ARGV[3]  prefix of the records of API keys; which of them is read, the upload says, and all are in the slot of KEYS
--
-- Returns { decision, requests of the hour, when the next one leaves it in Unix seconds, now in Unix ms, … }
--   'found'    … field, value, … of the upload
--   'missing'  there is none that may be fetched: never was, not yet, no longer, or its key is revoked or has expired
--   'limited'  the hour is used up; this request is not counted
--   'blocked'  the operator has blocked the address; not counted. A ban for bad keys does not hold here: no key is needed
--
-- Every request that the hour lets through counts, also one for a file that is not there: else ids could be tried for
-- nothing. Not idempotent: a repeated call counts again.

--- @include <sliding-window>

local used, count, base, oldest, newest = lookAtWindow(KEYS[2], HOUR)
local reset = (oldest or second) + HOUR + 1
if call('GET', KEYS[3]) == 'operator' then return { 'blocked', used, reset, now } end
if used >= tonumber(ARGV[1]) then return { 'limited', used, reset, now } end
addToWindow(KEYS[2], HOUR, count, base, oldest, newest)
used = used + 1

local missing = { 'missing', used, reset, now }
local state, owner, createdAt = unpack(call('HMGET', KEYS[1], 'state', 'owner', 'createdAt'))
if state ~= 'kept' then return missing end
local ttl = tonumber(ARGV[2])
if ttl > 0 and now >= tonumber(createdAt or '0') + ttl then return missing end
local keyState, expiresAt = unpack(call('HMGET', ARGV[3] .. (owner or ''), 'state', 'expiresAt'))
if keyState ~= 'active' or (expiresAt and now >= tonumber(expiresAt)) then return missing end
return { 'found', used, reset, now, call('HGETALL', KEYS[1]) }
