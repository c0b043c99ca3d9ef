-- Where a member with a score would stand in a sorted set, whether or not it is there: for lists that go on after it.
--
-- KEYS[1]  sorted set
-- ARGV[1]  score
-- ARGV[2]  member
--
-- Returns how many members stand before that place, in the order of scores, then of bytes.

local low, high, score = 0, redis.call('ZCARD', KEYS[1]), tonumber(ARGV[1])
while low < high do
  local middle = math.floor((low + high) / 2)
  local found = redis.call('ZRANGE', KEYS[1], tostring(middle), tostring(middle), 'WITHSCORES')
  local foundScore = tonumber(found[2])
  if foundScore < score or (foundScore == score and found[1] < ARGV[2]) then low = middle + 1
  else high = middle end
end
return low
