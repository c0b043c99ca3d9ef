-- The keys and arguments of admission's scripts by name. Each script takes the first of them, as many as it says.
--
-- KEYS[1]  addressHour    sliding window: the address's requests of an hour
-- KEYS[2]  addressBan     string with expiry: 'brute-force', which a genuine key passes, or 'operator'
-- KEYS[3]  blocked        sorted set of addresses banned or over their hour, by when that ends, Unix ms
-- KEYS[4]  keyRecord      hash of the API key that the caller names, see shared/src/api-key-record.ts
-- KEYS[5]  badKeys        sliding window: bad keys tried from the address within ten minutes
-- KEYS[6]  keyHour        sliding window: the key's requests of an hour
-- KEYS[7]  keyFlight      sorted set: the key's reservations, the ids of its unsettled requests, by when they end
-- KEYS[8]  waiting        list: the queue's waiting jobs
-- KEYS[9]  request        hash: exists once this request was settled, or its job started again
-- KEYS[10] keysInFlight   sorted set of keys with reservations, by when the sweeper has to look at them
-- KEYS[11] jobKey         hash: the queue's job
-- KEYS[12] marker         sorted set: the queue's marker, on which idle workers wait
-- KEYS[13] queueMeta      hash: whether the queue is paused
-- ARGV[1]  address        the caller's address in the form that limits are counted by
-- ARGV[2]  perHour        requests that it may make in an hour
-- ARGV[3]  keyHash        HMAC of the caller's key; '' where none was given, or none that can exist
-- ARGV[4]  mostBadKeys    bad keys that ban the address; 0 never bans
-- ARGV[5]  addressBits    the caller's address as bits
-- ARGV[6]  mostWaiting    waiting jobs at most
-- ARGV[7]  model          public model name
-- ARGV[8]  requestId
-- ARGV[9]  reservationMs  how long the reservation lasts at most
-- ARGV[10] keyId          id of the caller's key
-- ARGV[11] jobBeginning   the job, JSON, up to the number of its output tokens; its policy and closing brace follow that
-- ARGV[12] askedTokens    output tokens that the caller asked for
-- ARGV[13] jobName        as the queue has it
-- ARGV[14] jobOptions     JSON

local addressHour, addressBan, blocked, keyRecord, badKeys, keyHour, keyFlight, waiting, request, keysInFlight,
  jobKey, marker, queueMeta = unpack(KEYS)
local address, perHour, keyHash, mostBadKeys, addressBits, mostWaiting, model, requestId, reservationMs, keyId,
  jobBeginning, askedTokens, jobName, jobOptions = unpack(ARGV)
