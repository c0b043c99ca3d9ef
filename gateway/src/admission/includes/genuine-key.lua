-- Finds the key that the caller names, and proves that it is the caller's.
--
-- Needs  keyRecord, keyHash (input.lua)
-- Gives  PACKED_TERMS
--        genuine = 1 where it is; exempt = 2 where it is active as well, and exempt from the hour of addresses; and of its
--        record, as text, nil or false where it has none: state, terms (key-terms.lua), spent and dayCount (key-limits.lua)

--- @include <packed-terms>

local hash, state, terms, spent, dayCount, noAddressLimit
if keyHash ~= '' then
  hash, state, terms, spent, dayCount, noAddressLimit =
    unpack(call('HMGET', keyRecord, 'hash', 'state', PACKED_TERMS, 'charged', 'dayCount', 'noAddressLimit'))
  if hash == keyHash then
    genuine = 1
  elseif hash then
    local oldHash, oldUntil = unpack(call('HMGET', keyRecord, 'oldHash', 'oldHashUntil'))
    if oldHash == keyHash and now < tonumber(oldUntil or '0') then genuine = 1 end
  end
  -- Not in the packed terms: it is asked before the key's limits are, and by scripts that do not unpack them.
  if noAddressLimit == '1' and genuine == 1 and state == 'active' then
    local expires = call('HGET', keyRecord, 'expiresAt')
    if not expires or now < tonumber(expires) then exempt = 2 end
  end
end
