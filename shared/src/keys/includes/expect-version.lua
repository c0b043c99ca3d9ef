-- Whether an API key that is to be changed is there, and as who changes it has seen it.
--
-- Needs  record and asked (key-scripts.lua): asked.expected is the version that the record must have, any where it is absent
-- Gives  before        the record as it was, a table of its fields
--        versionNow    its version; a record without one has version 1
--
-- Ends the script with { status = 'missing' }, or with { status = 'expected', version, changes } where the record has another
-- version, changes being its latest ones as it has them. Nothing has been changed then.

local before = fieldsOf(record)
if not before.state then
  return cjson.encode({ status = 'missing' })
end
local versionNow = tonumber(before.version or '1')
if asked.expected and asked.expected ~= versionNow then
  return cjson.encode({ status = 'expected', version = versionNow, changes = before.changes or '' })
end
