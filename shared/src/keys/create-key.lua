-- Stores a new API key, all of it or nothing.
--
-- KEYS     as includes/key-scripts.lua names them
-- ARGV[1]  what is asked, JSON
--            id         the key's id
--            createdAt  Unix ms
--            fields     the record's fields, each a text
--            texts      its entries in the set of texts
--            actor      whose change it is, see shared/src/keys/actor.ts
--
-- Returns JSON: the answer of includes/answer-change.lua; { status = 'taken' } where the id is another key's, or
-- { status = 'gone' } where it was that of a key that was deleted a short time ago (nothing changed). Where the key is
-- there with the same hash, as after a repeat whose first reply was lost: { status = 'repeated' }, and nothing changed.

--- @include "includes/key-scripts"
--- @include "includes/answer-change"
--- @include "includes/index-key"

local held = redis.call('HMGET', record, 'hash', 'madeFrom')
if held[1] then
  return cjson.encode({ status = held[1] == asked.fields.hash and 'repeated' or 'taken', madeFrom = held[2] or '' })
end
if redis.call('EXISTS', deleted) == 1 then
  return cjson.encode({ status = 'gone' })
end
for field, value in pairs(asked.fields) do
  redis.call('HSET', record, field, value)
end
-- Keys of one millisecond are a thousandth of it apart, in the order in which they were stored.
local score = asked.createdAt
local next = string.format('%.0f', tonumber(score) + 1)
local latest = redis.call('ZREVRANGEBYSCORE', index, '(' .. next, score, 'WITHSCORES', 'LIMIT', '0', '1')[2]
if latest then
  score = string.format('%.3f', latest + 0.001)
end
redis.call('ZADD', index, score, asked.id)
settleTexts({}, asked.texts)
placeKey(asked.id, 'active', asked.fields.expiresAt)
return answerChange('create', {}, withoutSecrets(asked.fields))
