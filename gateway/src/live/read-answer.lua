-- Reads what there is of an answer, for a reader that has missed some of it. Reads only.
--
-- KEYS[1]  request hash
-- KEYS[2]  partial reasoning  string: masked, so far
-- KEYS[3]  partial text       string: masked, so far
--
-- Returns { 'settled', JSON }           the stored settlement
--         { 'open', reasoning, text }   '' where there is none yet, or none any more

local result = redis.call('HGET', KEYS[1], 'result')
if result then return { 'settled', result } end
return { 'open', redis.call('GET', KEYS[2]) or '', redis.call('GET', KEYS[3]) or '' }
