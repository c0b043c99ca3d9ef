-- Reports one batch of a gateway's answered requests to the statistics, once.
--
-- KEYS[1]  events       stream of answered requests
-- KEYS[2]  producer     string: number of the last batch that this gateway appended
-- KEYS[3]  event bytes  string: bytes in the stream; stats-service takes away what it has counted
-- KEYS[4]  tally        hash: requests sent as numbers, see shared/src/event-tally.ts
-- KEYS[5]  people       sorted set: distinct people of these, by their last request
-- ARGV[1]  number of the batch, one more than the last
-- ARGV[2]  how long the producer's number is kept, ms
-- ARGV[3]  bytes in the stream from which on texts are left out
-- ARGV[4]  bytes in the stream from which on no event is taken
-- ARGV[5]  fields of the tally from which on no repeat is taken
-- ARGV[6]  people kept at most
-- ARGV[7]  events, ARGV[8] repeats, ARGV[9] counters: how many of each follow
-- ARGV[10…] for each event: its JSON, and its texts' JSON or ''; for each repeat and counter: field, how many;
--           then for each of the people: member, Unix ms
--
-- Returns { 'appended', events whose texts were left out } or { 'repeated' }; or { 'full', 1 where the stream takes no
-- event, 1 where the tally takes no repeat }, having done nothing: the gateway then sends those as counters, which are
-- few, whatever happened, and always find room.
--
-- Idempotent by batch number: a gateway sends one batch at a time and repeats it until it is acknowledged, so a batch
-- whose acknowledgement was lost is recognised, whichever of the two commands arrives first.

-- What an entry takes beside its texts.
local ENTRY_BYTES = 64
-- Fields of the tally from which on further keys' usage is counted together, whatever stats-service is away for.
local MOST_TALLY = 30000

local batch = tonumber(ARGV[1])
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
if batch <= last then return { 'repeated' } end

local events, repeats, counters = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
-- An empty stream holds nothing, whatever was added and taken away by versions that did not count alike.
local bytes = redis.call('XLEN', KEYS[1]) > 0 and tonumber(redis.call('GET', KEYS[3]) or '0') or 0
local isStreamFull = events > 0 and bytes >= tonumber(ARGV[4])
local isTallyFull = repeats > 0 and redis.call('HLEN', KEYS[4]) >= tonumber(ARGV[5])
if isStreamFull or isTallyFull then return { 'full', isStreamFull and 1 or 0, isTallyFull and 1 or 0 } end

local at, leftOut = 10, 0
local keepsTexts = bytes < tonumber(ARGV[3])
for _ = 1, events do
  local event, texts = ARGV[at], ARGV[at + 1]
  bytes = bytes + #event + ENTRY_BYTES
  if texts == '' then
    redis.call('XADD', KEYS[1], '*', 'event', event)
  elseif keepsTexts then
    bytes = bytes + #texts
    redis.call('XADD', KEYS[1], '*', 'event', event, 'texts', texts)
  else
    leftOut = leftOut + 1
    redis.call('XADD', KEYS[1], '*', 'event', event)
  end
  at = at + 2
end
if events > 0 then redis.call('SET', KEYS[3], string.format('%d', bytes)) end

local isLong = counters > 0 and redis.call('HLEN', KEYS[4]) >= MOST_TALLY
for _ = 1, repeats + counters do
  local field = ARGV[at]
  if isLong and string.sub(field, 1, 8) == '["usage"' then
    field = string.gsub(field, '^(%["usage","[^"]*",")[^"]*', '%1others')
  end
  redis.call('HINCRBY', KEYS[4], field, ARGV[at + 1])
  at = at + 2
end

if at <= #ARGV then
  local room = tonumber(ARGV[6]) - redis.call('ZCARD', KEYS[5])
  while at <= #ARGV do
    if room > 0 then
      room = room - redis.call('ZADD', KEYS[5], 'GT', ARGV[at + 1], ARGV[at])
    else
      redis.call('ZADD', KEYS[5], 'XX', 'GT', ARGV[at + 1], ARGV[at])
    end
    at = at + 2
  end
end

redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return { 'appended', leftOut }
