-- How far a key's limits are used, for the caller who asks. Counts nothing.
--
-- KEYS[1]  keyRecord  hash of the API key, see shared/src/api-key-record.ts
-- KEYS[2]  keyHour    sliding window: the key's requests of an hour
-- KEYS[3]  keyFlight  sorted set: the key's reservations by when they end, Unix ms
-- KEYS[4]  storage    hash: bytes of uploads by key
-- ARGV[1]  field of the key in `storage`
--
-- Returns { now in Unix ms, requests of the hour, when the next one leaves it in Unix seconds, in flight, bytes of uploads,
-- { field, value, … } of the record }, of one moment.

--- @include <sliding-window>

local used, _, _, oldest = lookAtWindow(KEYS[2], HOUR)
local flight = call('ZCOUNT', KEYS[3], format('(%d', now), '+inf')
local stored = call('HGET', KEYS[4], ARGV[1]) or '0'
return { now, used, (oldest or second) + HOUR + 1, flight, stored, call('HGETALL', KEYS[1]) }
