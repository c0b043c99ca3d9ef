-- Appends an entry to the audit log, in the step that makes the change: nothing is changed without its entry.
--
-- Needs  now (clock.lua)
-- Gives  noteAudit(log, head, before, after)
--          log            the stream; fields of an entry: head, before, after
--          head           JSON of who does what to what, see auditHead in shared/src/admin/audit.ts
--          before, after  tables of what was and what is, name to text; nil where there is nothing to tell. No secrets.
--
-- Entries older than 90 days go, and the oldest beyond 100,000.

local AUDIT_ENTRIES, AUDIT_MS = '100000', 90 * 86400000

local function noteAudit(log, head, before, after)
  local was, is = before and cjson.encode(before) or '', after and cjson.encode(after) or ''
  redis.call('XADD', log, 'MAXLEN', '=', AUDIT_ENTRIES, '*', 'head', head, 'before', was, 'after', is)
  redis.call('XTRIM', log, 'MINID', '=', string.format('%.0f', now - AUDIT_MS))
end
