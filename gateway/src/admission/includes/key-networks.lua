-- Ends the script where the key may not be used from the caller's address: that has to begin with the bits of one of the
-- key's networks.
--
-- Needs  networks (key-terms.lua), addressBits (input.lua), dismiss

if networks ~= '' and string.sub(addressBits, 1, #networks) ~= networks then
  local isAllowed = false
  for bits in string.gmatch(networks, '[^,]+') do
    if string.sub(addressBits, 1, #bits) == bits then isAllowed = true end
  end
  if not isAllowed then return dismiss('address') end
end
