-- The answer of a script that has changed an API key, and its entry in the audit log: the fields that differ, before and
-- after.
--
-- Needs  what key-scripts.lua gives
-- Gives  answerChange(action, before, after), called once, where something was written. `action` is 'create', 'update',
--        'rotate', 'revoke' or 'delete'; both maps are without secrets. Returns JSON:
--        { status = 'changed', before, after }

--- @include <note-audit>

-- The bits of addresses are the addresses once more.
local function forAudit(map)
  map.addressBits = nil
  return next(map) and map or nil
end

local function answerChange(action, before, after)
  local was, is = {}, {}
  for field, value in pairs(before) do
    if after[field] ~= value then was[field] = value end
  end
  for field, value in pairs(after) do
    if before[field] ~= value then is[field] = value end
  end
  local answer = cjson.encode({ status = 'changed', action = action, before = was, after = is })
  local head = { actor = asked.actor, action = 'key.' .. action, target = asked.id, outcome = 'done' }
  noteAudit(KEYS[#KEYS], cjson.encode(head), forAudit(was), forAudit(is))
  return answer
end
