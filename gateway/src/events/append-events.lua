-- Appends one batch of a gateway's events to the stream, once.
--
-- KEYS[1]  events          stream of answered requests
-- KEYS[2]  producer        string: number of the last batch that this gateway appended
-- KEYS[3]  events dropped  string: events that found the stream full
-- ARGV[1]  number of the batch, one more than the last
-- ARGV[2]  longest length of the stream
-- ARGV[3]  how long the producer's number is kept, ms
-- ARGV[4…] events, JSON
--
-- Returns { 'appended', number dropped } or { 'repeated' }.
--
-- Idempotent by batch number: a gateway sends one batch at a time and repeats it until it is acknowledged, so a batch
-- whose acknowledgement was lost is recognised, whichever of the two commands arrives first.

local batch = tonumber(ARGV[1])
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
if batch <= last then return { 'repeated' } end

local events = #ARGV - 3
local room = tonumber(ARGV[2]) - redis.call('XLEN', KEYS[1])
local dropped = 0
for i = 1, events do
  if i <= room then
    redis.call('XADD', KEYS[1], '*', 'event', ARGV[3 + i])
  else
    dropped = dropped + 1
  end
end
if dropped > 0 then redis.call('INCRBY', KEYS[3], dropped) end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3])
return { 'appended', dropped }
