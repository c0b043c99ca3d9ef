-- Notes where the counter of generation requests stands, so that "Total requests" starts at 0.
--
-- KEYS[1]  totals  hash of counters since installation
-- KEYS[2]  reset   hash: `at`, Unix ms, and `requests`
-- ARGV[1]  now, Unix ms
--
-- Returns what the counter stood at. One step, because a request counted between reading and noting would be lost.
-- Repeated, it resets again.

local requests = redis.call('HGET', KEYS[1], 'requests') or '0'
redis.call('HSET', KEYS[2], 'at', ARGV[1], 'requests', requests)
return requests
