-- Says by how much the clock of this server is to be corrected, so that time neither goes back nor jumps ahead where it has
-- become the primary in the place of another one.
--
-- KEYS[1]  clock     hash: `server` is the run id that `correction` is for, ms; `jump` is what its clock differed by;
--                    `seen` is the latest time that was told, Unix ms; `since` is when it was met as the primary in the
--                    place of another one, Unix ms, 0 where it was the first
-- ARGV[1]  run id of this server
-- ARGV[2]  '1' where it was a replica before
-- ARGV[3]  what the time should be, Unix ms, as who asks has carried it on; '' where it does not know
-- ARGV[4]  '1' where who asks decides without knowing
--
-- Returns { correction, jump, since }, or {} where it is for others to decide, who know the time.
--
-- Idempotent by run id: the first who knows decides, for all.

-- Less than this ahead windows bear, whose entries leave a whole second late; and it may be the way to Redis alone.
local MOST_AHEAD, MOST_BEHIND = 1000, 100
-- A clock that is further away than a window lasts was wrong before: the new one is believed.
local MOST_CORRECTED = 3600000

local server, correction, seen, jump, since =
  unpack(redis.call('HMGET', KEYS[1], 'server', 'correction', 'seen', 'jump', 'since'))
since = since or '0'
if server == ARGV[1] then return { tonumber(correction), tonumber(jump), tonumber(since) } end
correction = tonumber(correction or '0')
if server and ARGV[2] == '1' then
  if ARGV[3] == '' and ARGV[4] == '0' then return {} end
  local time = redis.call('TIME')
  local at = tonumber(time[1]) * 1000 + math.floor(time[2] / 1000)
  local should = math.max(tonumber(seen or '0'), ARGV[3] == '' and at or tonumber(ARGV[3]))
  local difference = should - at
  if difference > MOST_BEHIND or difference < -MOST_AHEAD then jump = 0 - difference else jump = 0 end
  correction = math.abs(jump) <= MOST_CORRECTED and 0 - jump or 0
  since = string.format('%.0f', at + correction)
else
  -- The first one, or the same machine once more.
  jump = 0
end
local texts = { string.format('%.0f', correction), string.format('%.0f', jump) }
redis.call('HSET', KEYS[1], 'server', ARGV[1], 'correction', texts[1], 'jump', texts[2], 'since', since)
return { correction, jump, tonumber(since) }
