-- What the operator decided of a genuine key. Ends the script where the key is revoked or has expired.
--
-- Needs  state, terms (genuine-key.lua), dismiss
-- Gives  places, perHourOfKey, perDay, total, tokens  its concurrency, limits, credits and output-token cap; -1 is none
--        models, networks  names and addresses as bits, each joined by commas; '' allows all
--        policy            what a job carries of the key, JSON to be put before its closing brace; '' where that is nothing
--        newTerms          its terms as this script packed them; nil where its record has them, '' where it has none
--
-- The terms are packed into one field: to read eight takes longer than any other command of admission. The first admission
-- packs them, the operator's every change takes them away (change-key.lua). A change of their layout has to change the
-- field's name (PACKED_TERMS), because gateways of both versions may run side by side.

-- concurrency, expiresAt, perHour, perDay, credits, maxOutputTokens, and with their lengths models, addressBits, policy
local TERMS = '>ddddddI4c0I4c0I4c0'
local DEFAULT_CONCURRENCY = 10

if state ~= 'active' then return dismiss('revoked') end

local places, perHourOfKey, perDay, total, tokens, models, networks, policy =
  DEFAULT_CONCURRENCY, -1, -1, -1, -1, '', '', ''
local newTerms
if not terms then
  local most, expires, inHour, inDay, sum, cut, names, bits, mask, keepOwn, onDisconnect =
    unpack(call('HMGET', keyRecord, 'concurrency', 'expiresAt', 'perHour', 'perDay', 'credits', 'maxOutputTokens',
      'models', 'addressBits', 'mask', 'keepOwn', 'onDisconnect'))
  terms = ''
  -- As `policy` of shared/src/generation-job.ts: only what is not as usual.
  local parts, written = {}, ''
  if mask and string.find(mask, '^[a-z,]+$') then
    parts[1] = format('"mask":["%s"]', (string.gsub(mask, ',', '","')))
  end
  if keepOwn == '1' then parts[#parts + 1] = '"keepOwn":true' end
  if onDisconnect == 'finish' then parts[#parts + 1] = '"onDisconnect":"finish"' end
  if #parts > 0 then written = ',"policy":{' .. table.concat(parts, ',') .. '}' end
  if most or expires or inHour or inDay or sum or cut or names or bits or written ~= '' then
    names, bits = names or '', bits or ''
    terms = pack(TERMS, tonumber(most or DEFAULT_CONCURRENCY), tonumber(expires or '-1'), tonumber(inHour or '-1'),
      tonumber(inDay or '-1'), tonumber(sum or '-1'), tonumber(cut or '-1'), #names, names, #bits, bits, #written, written)
  end
  newTerms = terms
end
if terms ~= '' then
  local expires
  places, expires, perHourOfKey, perDay, total, tokens, models, networks, policy = unpackFrom(TERMS, terms)
  if expires >= 0 and now >= expires then return dismiss('expired') end
end
