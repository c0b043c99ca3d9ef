-- The sets that API keys are listed by.
--
-- Needs  index, texts, use, active, expired, revoked, expiring (the sets, see key-scripts.lua), now
-- Gives  isIndexed(id)                       whether the key is in these sets; a key of an earlier version is not, until
--                                            index-keys.lua puts it there
--        placeKey(id, state, expiresAt)      puts the key into the set of its state
--        takeKey(id)                         takes it out of all sets but that of texts
--        settleTexts(remove, add)            takes entries out of the set of texts, and puts others in

local function isIndexed(id)
  return redis.call('ZSCORE', use, id) ~= false
end

local function placeKey(id, state, expiresAt)
  local created = redis.call('ZSCORE', index, id)
  if not created then return end
  local place = active
  if state ~= 'active' then place = revoked
  elseif expiresAt and now >= tonumber(expiresAt) then place = expired end
  for _, set in ipairs({ active, expired, revoked }) do
    if set ~= place then redis.call('ZREM', set, id) end
  end
  redis.call('ZADD', place, created, id)
  if place == active and expiresAt then redis.call('ZADD', expiring, expiresAt, id)
  else redis.call('ZREM', expiring, id) end
  redis.call('ZADD', use, 'NX', '0', id)
end

local function takeKey(id)
  for _, set in ipairs({ use, active, expired, revoked, expiring }) do redis.call('ZREM', set, id) end
end

local function settleTexts(remove, add)
  for _, entry in ipairs(remove) do redis.call('ZREM', texts, entry) end
  for _, entry in ipairs(add) do redis.call('ZADD', texts, '0', entry) end
end
