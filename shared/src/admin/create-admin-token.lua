-- Stores a new admin token, and its entry in the audit log. Redis TIME is the clock.
--
-- KEYS[1]  tokens  hash: id to record, JSON, see admin-tokens.ts
-- KEYS[2]  uses    hash: id to when it was last used, Unix ms
-- KEYS[3]  audit   stream, see script-includes/note-audit.lua
-- ARGV[1]  id
-- ARGV[2]  record, without when it was made
-- ARGV[3]  tokens at most; where there are more, those go that ended first
-- ARGV[4]  head of the audit entry
--
-- Returns the record as JSON; 'taken' where the id is, 'full' where all of them are still good. Nothing is changed by
-- these two.

--- @include <clock>
--- @include <note-audit>

if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 'taken' end

local all, ended = redis.call('HGETALL', KEYS[1]), {}
for i = 1, #all, 2 do
  local isRead, record = pcall(cjson.decode, all[i + 1])
  -- What is no record opens nothing, and gives way first.
  local at = not isRead and 0 or record.revokedAt or record.expiresAt
  if at and at <= now then ended[#ended + 1] = { id = all[i], at = at } end
end
local surplus = #all / 2 + 1 - tonumber(ARGV[3])
if surplus > #ended then return 'full' end
table.sort(ended, function(one, other) return one.at < other.at end)
for i = 1, surplus do
  redis.call('HDEL', KEYS[1], ended[i].id)
  redis.call('HDEL', KEYS[2], ended[i].id)
end

local record = cjson.decode(ARGV[2])
record.createdAt = now
local text = cjson.encode(record)
redis.call('HSET', KEYS[1], ARGV[1], text)
noteAudit(KEYS[3], ARGV[4], nil, { name = record.name, role = record.role, expiresAt = record.expiresAt })
return text
