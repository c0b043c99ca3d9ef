-- Changes an API key that exists. Sets some fields and takes others away, in one step, so that admission never sees
-- half a change. The limits in the packed form that admission reads are taken away as well: the next admission packs
-- them anew.
--
-- KEYS     as includes/key-scripts.lua names them
-- ARGV[1]  what is asked, JSON
--            id, actor    as for create-key.lua
--            action       'update', 'rotate' or 'revoke'
--            set          fields to set, each with its text
--            remove       fields to take away
--            stamp        a field that is set to now, Unix ms; may be absent
--            expected     version that the record must have; any where absent
--            onlyActive   whether a revoked key must not be changed
--            keepOverlap  whether an earlier hash that is still good must not be ended
--            overlapMs    how long the present hash stays good beside the new one; absent where it does not
--            texts        where name or owner are changed: { name, owner, remove, add }, both as they are expected to be
--                         ('' for none), and the entries to take out of the set of texts and to put into it
--            letters      what stands for each field in `changes` (see key-changes.ts)
--
-- Returns JSON: the answer of includes/answer-change.lua, or, having changed nothing, one of these:
--   { status = 'missing' }
--   { status = 'expected', version, changes }  the record has another version; its latest changes as it has them
--   { status = 'revoked' }
--   { status = 'overlap', earlierUntil }       until when the earlier hash is good, Unix ms
--   { status = 'moved' }                       name or owner are not as they were expected to be: read them anew
--   { status = 'same' }                        every field has what it is asked to have
--
-- Setting the same fields again changes nothing. Each change raises `version` by one: a record without it has version 1.

--- @include "includes/key-scripts"
--- @include "includes/answer-change"
--- @include "includes/index-key"
--- @include "includes/expect-version"
--- @include <packed-terms>

-- A hash of few fields and short values takes a fifth of the memory: 64 bytes are the longest such value.
local MOST_CHANGES = 60

if asked.onlyActive and before.state ~= 'active' then
  return cjson.encode({ status = 'revoked' })
end
if asked.keepOverlap then
  -- A record has room for one earlier hash: to keep another one is to end this one.
  local earlierUntil = tonumber(before.oldHashUntil or '0')
  if now < earlierUntil then
    return cjson.encode({ status = 'overlap', earlierUntil = earlierUntil })
  end
end
if asked.texts and (asked.texts.name ~= (before.name or '') or asked.texts.owner ~= (before.owner or '')) then
  return cjson.encode({ status = 'moved' })
end

local set = asked.set
if asked.stamp then set[asked.stamp] = string.format('%.0f', now) end
if asked.overlapMs then
  set.oldHash, set.oldHashUntil = before.hash, string.format('%.0f', now + asked.overlapMs)
end
local letters = {}
for field, value in pairs(set) do
  if before[field] ~= value then
    redis.call('HSET', record, field, value)
    letters[#letters + 1] = asked.letters[field]
  end
end
for _, field in ipairs(asked.remove) do
  if redis.call('HDEL', record, field) == 1 then letters[#letters + 1] = asked.letters[field] end
end
if #letters == 0 then
  return cjson.encode({ status = 'same' })
end
redis.call('HDEL', record, PACKED_TERMS, EARLIER_TERMS)
table.sort(letters)
local changes = (before.changes or '') .. string.format(';%d', versionNow + 1) .. table.concat(letters)
while #changes > MOST_CHANGES do changes = string.gsub(changes, '^;[^;]*', '', 1) end
redis.call('HSET', record, 'version', string.format('%d', versionNow + 1), 'changes', changes)
local after = fieldsOf(record)
if isIndexed(asked.id) then
  if asked.texts then settleTexts(asked.texts.remove, asked.texts.add) end
  placeKey(asked.id, after.state, after.expiresAt)
end
return answerChange(asked.action, withoutSecrets(before), withoutSecrets(after))
