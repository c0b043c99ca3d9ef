-- Finds the key that the caller names, and proves that it is the caller's.
--
-- Needs  keyRecord, keyHash (input.lua)
-- Gives  PACKED_TERMS
--        genuine = 1 where it is; and of its record, as text, nil or false where it has none:
--        state, terms (key-terms.lua), spent and dayCount (key-limits.lua)

--- @include <packed-terms>

local hash, state, terms, spent, dayCount
if keyHash ~= '' then
  hash, state, terms, spent, dayCount =
    unpack(call('HMGET', keyRecord, 'hash', 'state', PACKED_TERMS, 'charged', 'dayCount'))
  if hash == keyHash then
    genuine = 1
  elseif hash then
    local oldHash, oldUntil = unpack(call('HMGET', keyRecord, 'oldHash', 'oldHashUntil'))
    if oldHash == keyHash and now < tonumber(oldUntil or '0') then genuine = 1 end
  end
end
