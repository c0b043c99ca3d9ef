-- Finds which of several requests are settled. Reads only.
--
-- KEYS[1…]  request hashes
--
-- Returns a list of { position in KEYS, settlement as JSON }, one for each settled request.

local found = {}
for i = 1, #KEYS do
  local result = redis.call('HGET', KEYS[i], 'result')
  if result then found[#found + 1] = { i, result } end
end
return found
