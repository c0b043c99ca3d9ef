-- Takes an API key away, with all that is the key's own, in one step: from here on it is neither listed nor let through.
--
-- KEYS     as includes/key-scripts.lua names them
-- ARGV[1]  what is asked, JSON: id, actor and expected as for change-key.lua, and texts: { name, owner, remove }
--
-- Returns JSON: the answer of includes/answer-change.lua, or, having changed nothing, { status = 'missing' } or
-- { status = 'expected', version, changes } or { status = 'moved' } as change-key.lua does.
--
-- What is in flight stays in the key's reservations until it is settled; a settlement that finds no record gives back
-- nothing. That the key was deleted is known for a while: gateways remove its uploads by it, and a late repeat of the request
-- that made the key does not bring it back. Its name stands there, for the rows of the log that it has left.

--- @include "includes/key-scripts"
--- @include "includes/answer-change"
--- @include "includes/index-key"
--- @include "includes/expect-version"

local KNOWN_MS = 604800000
-- As long as what it used is kept: a month more than 400 days.
local LISTED_MS = 37324800000

if asked.texts.name ~= (before.name or '') or asked.texts.owner ~= (before.owner or '') then
  return cjson.encode({ status = 'moved' })
end
redis.call('DEL', record, hour, freeFailures)
redis.call('ZREM', index, asked.id)
settleTexts(asked.texts.remove, {})
takeKey(asked.id)
redis.call('ZADD', allDeleted, string.format('%.0f', now), asked.id)
redis.call('ZREMRANGEBYSCORE', allDeleted, '-inf', string.format('%.0f', now - LISTED_MS))
redis.call('SET', deleted, '1 ' .. (before.name or ''), 'PX', string.format('%d', KNOWN_MS))
return answerChange('delete', withoutSecrets(before), {})
