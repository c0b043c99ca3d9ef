-- The answer of a script that has changed an API key: the fields that differ, before and after.
--
-- Needs  what key-scripts.lua gives
-- Gives  answerChange(action, before, after), called once, where something was written. `action` is 'create', 'update',
--        'rotate', 'revoke' or 'delete'; both maps are without secrets. Returns JSON:
--        { status = 'changed', before, after }

local function answerChange(action, before, after)
  local was, is = {}, {}
  for field, value in pairs(before) do
    if after[field] ~= value then was[field] = value end
  end
  for field, value in pairs(after) do
    if before[field] ~= value then is[field] = value end
  end
  return cjson.encode({ status = 'changed', action = action, before = was, after = is })
end
