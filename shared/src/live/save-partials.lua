-- Keeps what is masked so far of streamed answers, so that a reader on any gateway can begin anew, and says who follows.
--
-- KEYS[1]    request hash of the first answer: all keys are in its slot
-- ARGV[1]    how long partial texts are kept, ms
-- ARGV[2…5]  what the names of these begin with: request hashes, keys' flights, partial texts, followers. Names are made of
--            them here, because written out they would be several times as long as the text
-- then for each answer
--   request id
--   key id
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

local HEAD, ARGS = 5, 7
local ttl, requests, flights, partials, followerSets = unpack(ARGV, 1, HEAD)

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
for a = HEAD, #ARGV - 1, ARGS do
  local id, keyId, start, textBytes, text, reasoningBytes, reasoning = unpack(ARGV, a + 1, a + ARGS)
  local request = requests .. id
  local isAllowed, wasShown = mayShow(request, flights .. keyId, id, start)
  local following = isAllowed and call('SMEMBERS', followerSets .. id) or {}
  local answer = { isAllowed and 'unseen' or 'refused' }
  if wasShown or #following > 0 then
    if not wasShown then show(request, start) end
    local partial = partials .. id
    answer = { 'saved', save(partial .. ':text', textBytes, text), save(partial .. ':reasoning', reasoningBytes, reasoning), unpack(following) }
  end
  answers[#answers + 1] = answer
end
return answers
