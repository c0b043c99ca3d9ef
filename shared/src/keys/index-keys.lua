-- Puts API keys into the sets that they are listed by: those of an earlier version, and those that were written by a command
-- of an earlier version, which does not know these sets.
--
-- KEYS[1…7]  index, texts, use, active, expired, revoked, expiring, as in includes/key-scripts.lua
-- KEYS[8…]   records of the keys, one for each of ARGV[1]
-- ARGV[1]    JSON list, for each key: { id, name, owner, remove, add }: its name and owner as they were read ('' where there
--            is none), and entries to take out of the set of texts and to put into it
--
-- Returns how many were put there; not those whose name or owner has been changed since they were read, or that have been
-- deleted. Idempotent.

local index, texts, use, active, expired, revoked, expiring = unpack(KEYS)
--- @include <clock>
--- @include "includes/index-key"

local done = 0
for i, key in ipairs(cjson.decode(ARGV[1])) do
  local state, expiresAt, name, owner = unpack(redis.call('HMGET', KEYS[7 + i], 'state', 'expiresAt', 'name', 'owner'))
  if (name or '') == key.name and (owner or '') == key.owner and redis.call('ZSCORE', index, key.id) then
    settleTexts(key.remove, key.add)
    placeKey(key.id, state or 'active', expiresAt)
    done = done + 1
  end
end
return done
