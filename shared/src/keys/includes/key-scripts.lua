-- What the scripts that write API keys have in common; key-scripts.ts names their keys in this order.
--
-- KEYS[1]  record        hash: the key's fields, see shared/src/api-key-record.ts
-- KEYS[2]  index         sorted set: ids of all keys by time of creation
-- KEYS[3]  hour          sliding window of the key
-- KEYS[4]  freeFailures  list: failures of the last hour that were given back to the key
-- KEYS[5]  deleted       string with expiry: '1 NAME', there for a while after the key was deleted
-- KEYS[6]  texts         sorted set of entries for lists by name and owner, and searches, see index-entries.ts
-- KEYS[7]  use           sorted set: ids of indexed keys by the minute of their last use, Unix minutes; 0 for never
-- KEYS[8]  active        sorted sets: ids of indexed keys of this state, by time of creation
-- KEYS[9]  expired
-- KEYS[10] revoked
-- KEYS[11] expiring      sorted set: ids of active keys that will expire, by when, Unix ms
-- KEYS[12] allDeleted    sorted set: ids of deleted keys by when that was, Unix ms
-- KEYS[#]  audit         stream, the last of the keys, see script-includes/note-audit.lua
-- ARGV[1]  asked         JSON, see each script
--
-- Gives  the keys by these names, asked as a table
--        now                  Unix ms
--        fieldsOf(hash)       all fields of a hash
--        withoutSecrets(map)  of a record's fields those that an answer and a log may have

local record, index, hour, freeFailures, deleted, texts, use, active, expired, revoked, expiring,
  allDeleted = unpack(KEYS)
local asked = cjson.decode(ARGV[1])
--- @include <clock>

local function fieldsOf(hash)
  local list, map = redis.call('HGETALL', hash), {}
  for i = 1, #list, 2 do map[list[i]] = list[i + 1] end
  return map
end

-- Not what admission counts or packs, nor what every change changes.
local LEFT_OUT = {
  hash = true, oldHash = true, terms = true, terms2 = true, charged = true, dayCount = true, version = true,
  changes = true, madeFrom = true,
}

local function withoutSecrets(map)
  local shown = {}
  for field, value in pairs(map) do
    if not LEFT_OUT[field] then shown[field] = value end
  end
  return shown
end
