-- Deletes a revoked API key with all that is kept of it, once nothing needs its record any more.
--
-- KEYS[1]  record          hash: the key's fields, see shared/src/api-key-record.ts
-- KEYS[2]  index           sorted set: key ids
-- KEYS[3]  hour            list: the key's sliding hour
-- KEYS[4]  flight          sorted set: the key's unsettled requests
-- KEYS[5]  keys in flight  sorted set: ids of keys with reservations
-- KEYS[6]  free failures   list
-- KEYS[7]  key uploads     sorted set: uploads of the key that the storage counts
-- ARGV[1]  key id
--
-- Returns { 'deleted' }
--         { 'missing' }       there is no such key
--         { 'active' }        it was not revoked; nothing was changed
--         { 'in work', n }    n of its requests are not settled; nothing was changed
--         { 'files', n }      n of its uploads are not removed yet, which a gateway does by the record; nothing was changed
--
-- Idempotent: a second call finds no key.

local record, index, hour, flight, keysInFlight, freeFailures, keyUploads = unpack(KEYS)
local id = ARGV[1]

local state = redis.call('HGET', record, 'state')
if not state and not redis.call('ZSCORE', index, id) then return { 'missing' } end
if state == 'active' then return { 'active' } end
local requests, files = redis.call('ZCARD', flight), redis.call('ZCARD', keyUploads)
if requests > 0 then return { 'in work', requests } end
if files > 0 then return { 'files', files } end
redis.call('DEL', record, hour, freeFailures)
redis.call('ZREM', index, id)
redis.call('ZREM', keysInFlight, id)
return { 'deleted' }
