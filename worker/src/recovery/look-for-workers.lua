-- Finds the workers that may be gone, and says that the one that looks is there.
--
-- Each worker listens on a channel of its own. When its process ends, however that happens, its kernel closes the connection at
-- once; while it is stopped, blocked or suspended, the connection stays. So a channel that no connection listens on is that of
-- a worker which is gone, or which makes a new connection; in the second case it says so here, whenever it looks.
--
-- KEYS[1]  workers  hash: name to how often that worker has said so, a space, and its place (place.ts)
-- ARGV[1]  name of the worker that looks
-- ARGV[2]  its place
-- ARGV[3]  what the channels of workers begin with
--
-- Returns { name, value, name, value, … } of the other workers on whose channels no connection listens
--
-- Writes nothing where the worker that looks is listed and listens. Repeated, it says once more that the worker is there.

local call = redis.call
-- Workers that are looked at; those beyond are judged by the locks of their jobs alone.
local MOST = 2000

local own, place, channelPrefix = unpack(ARGV)
local listed = call('HGETALL', KEYS[1])
local channels, values, ownValue = { channelPrefix .. own }, { '' }, nil
for i = 1, math.min(#listed, 2 * MOST), 2 do
  if listed[i] == own then
    ownValue = listed[i + 1]
  else
    channels[#channels + 1] = channelPrefix .. listed[i]
    values[#channels] = listed[i + 1]
  end
end
local listeners = call('PUBSUB', 'NUMSUB', unpack(channels))
if not ownValue or listeners[2] == 0 then
  local said = tonumber(string.match(ownValue or '', '^%d+') or '0')
  call('HSET', KEYS[1], own, string.format('%d %s', said + 1, place))
end
local unheard = {}
for i = 2, #channels do
  if listeners[2 * i] == 0 then
    unheard[#unheard + 1] = string.sub(channels[i], #channelPrefix + 1)
    unheard[#unheard + 1] = values[i]
  end
end
return unheard
