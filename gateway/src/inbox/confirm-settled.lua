-- Looks which requests are settled, on the server that is the primary now. Reads only.
--
-- KEYS[1…]  request hashes
--
-- Returns the positions in KEYS of those that are settled.

local settled = {}
for i = 1, #KEYS do
  if redis.call('HEXISTS', KEYS[i], 'result') == 1 then settled[#settled + 1] = i end
end
return settled
