-- Keeps what is masked so far of streamed answers, so that a reader on any gateway can begin anew, and says who follows.
--
-- for each answer  KEYS  request hash, key's flight, partial text, partial reasoning, followers
-- ARGV[1]  how long partial texts are kept, ms
-- then for each answer
--   request id
--   start
--   for text, then for reasoning
--     bytes of it that are there already, as this worker knows; 0 writes it anew
--     what follows them; '' for nothing
--
-- Returns for each answer { standing, bytes of text, bytes of reasoning, followers… }; where nothing was written { standing }
--   standing  'saved';
--             'unseen'   nothing was visible and no gateway follows: nothing is kept, so that another start may take over;
--             'refused'  nothing of this start may be shown (any more), see <become-visible>
--   bytes     of what is kept; other than expected where some of it was lost, and it has to be written anew
--
-- Idempotent: nothing is appended to what is not as long as expected.

local call, format = redis.call, string.format
--- @include <become-visible>

local PER_ANSWER, ARGS = 5, 6
local ttl = ARGV[1]

local function save(key, bytes, text)
  local length = call('STRLEN', key)
  if text == '' then return length end
  if bytes == '0' then
    call('SET', key, text)
    length = #text
  elseif length == tonumber(bytes) then
    length = call('APPEND', key, text)
  end
  call('PEXPIRE', key, ttl)
  return length
end

local answers = {}
for number = 1, #KEYS / PER_ANSWER do
  local k, a = PER_ANSWER * (number - 1), 1 + ARGS * (number - 1)
  local request, flight, partialText, partialReasoning, followers = unpack(KEYS, k + 1, k + PER_ANSWER)
  local id, start, textBytes, text, reasoningBytes, reasoning = unpack(ARGV, a + 1, a + ARGS)
  local isAllowed, wasShown = mayShow(request, flight, id, start)
  local following = isAllowed and call('SMEMBERS', followers) or {}
  if not isAllowed then
    answers[number] = { 'refused' }
  elseif not wasShown and #following == 0 then
    answers[number] = { 'unseen' }
  else
    if not wasShown then show(request, start) end
    answers[number] = { 'saved', save(partialText, textBytes, text), save(partialReasoning, reasoningBytes, reasoning), unpack(following) }
  end
end
return answers
