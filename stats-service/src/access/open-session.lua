-- Notes a new session, and ends those that are too many. Redis TIME is the clock.
--
-- KEYS[1]  sessions  hash: digest of the cookie to 'address signedInAt seenAt expiresAt way', times in Unix ms
-- ARGV[1]  digest of the new cookie
-- ARGV[2]  address that it is good from
-- ARGV[3]  how it began: 'token' or 'link'
-- ARGV[4]  how long it lasts, ms
-- ARGV[5]  sessions at most
--
-- Returns nothing. Sessions whose time is over are dropped; of the others, while there is no room, the one that was not
-- seen for the longest. Repeated, it notes the session anew.

--- @include <clock>

local all = redis.call('HGETALL', KEYS[1])
local open = {}
for i = 1, #all, 2 do
  local seen, ends = string.match(all[i + 1], '^%S+ %d+ (%d+) (%d+) %w+$')
  if ends and tonumber(ends) > now then
    open[#open + 1] = { digest = all[i], seen = tonumber(seen) }
  else
    redis.call('HDEL', KEYS[1], all[i])
  end
end
table.sort(open, function(one, other) return one.seen < other.seen end)
for i = 1, #open - tonumber(ARGV[5]) + 1 do redis.call('HDEL', KEYS[1], open[i].digest) end

local record = string.format('%s %.0f %.0f %.0f %s', ARGV[2], now, now, now + ARGV[4], ARGV[3])
redis.call('HSET', KEYS[1], ARGV[1], record)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
