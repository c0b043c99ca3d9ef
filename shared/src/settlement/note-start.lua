-- Notes how a start ended whose job goes back to the queue, for the process that settles the request without having seen that start.
--
-- KEYS[1]  request hash
-- KEYS[2]  key's flight        sorted set of the key's reservations
-- ARGV[1]  request id
-- ARGV[2]  'spent'     the start's model call may have cost money, though it brought no answer
--          'returned'  the start was handed back to the queue, and the model was not called
-- ARGV[3]  '1' for 'spent'; for 'returned', how many starts have been handed back by now, this one included
--
-- Returns 1, or 0 where there is no such reservation (any more) and nothing was noted: the hash would stay for ever.
--
-- Idempotent.

if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return 1
