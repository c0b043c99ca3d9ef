-- Ends an admin token for good, with its entry in the audit log. Redis TIME is the clock.
--
-- KEYS[1]  tokens  hash: id to record, JSON, see admin-tokens.ts
-- KEYS[2]  audit   stream, see script-includes/note-audit.lua
-- ARGV[1]  id
-- ARGV[2]  head of the audit entry
--
-- Returns the record as JSON, nothing where there is no such token. Repeated, it changes nothing and notes nothing.

--- @include <clock>
--- @include <note-audit>

local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text then return false end
local record = cjson.decode(text)
if record.revokedAt then return text end
record.revokedAt = now
text = cjson.encode(record)
redis.call('HSET', KEYS[1], ARGV[1], text)
noteAudit(KEYS[2], ARGV[2], { state = 'active' }, { state = 'revoked' })
return text
