-- Forgets consumers of a group that hold nothing and have been silent for long; instances have random names, and each
-- start would leave one behind.
--
-- KEYS[1]  stream
-- ARGV[1]  group
-- ARGV[2]  silence after which a consumer is forgotten, ms
--
-- Returns the number of consumers forgotten. Looking and deleting is one step, because deleting a consumer that holds
-- pending events would lose them. Idempotent.

local forgotten = 0
for _, record in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local consumer = {}
  for i = 1, #record, 2 do consumer[record[i]] = record[i + 1] end
  if consumer.pending == 0 and consumer.idle > tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], consumer.name)
    forgotten = forgotten + 1
  end
end
return forgotten
