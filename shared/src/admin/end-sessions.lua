-- Ends sessions of the dashboard, with an entry in the audit log for each. Redis TIME is the clock.
--
-- KEYS[1]  sessions  hash: digest of the cookie to session, see operator-sessions.ts; bounded where they are made
-- KEYS[2]  audit     stream, see script-includes/note-audit.lua
-- ARGV[1]  what the digest begins with of the one to end; '' for all
-- ARGV[2]  head of the audit entries, in which '%ID%' stands for the session's id
-- ARGV[3]  characters of a digest that are a session's id
--
-- Returns how many were ended. Repeated, none is left to end.

--- @include <clock>
--- @include <note-audit>

local ended = 0
for _, digest in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(digest, 1, #ARGV[1]) == ARGV[1] then
    local address = string.match(redis.call('HGET', KEYS[1], digest), '^%S+')
    redis.call('HDEL', KEYS[1], digest)
    local head = string.gsub(ARGV[2], '%%ID%%', string.sub(digest, 1, tonumber(ARGV[3])))
    noteAudit(KEYS[2], head, { address = address }, nil)
    ended = ended + 1
  end
end
return ended
