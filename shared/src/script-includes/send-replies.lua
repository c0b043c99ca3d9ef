-- Sends replies to a gateway: one entry of its inbox for all of them, `id`, id, `settlement`, JSON, again and again; or
-- names of settlements that it reads where they are stored, `stored`, id, `bytes`, number, again and again; or masked pieces of
-- answers, `frames`, JSON.
--
-- Needs  call, format
-- Gives  sendReplies(inbox, inboxBytes, fields, bytes)
--          inbox       stream of the gateway that waits
--          inboxBytes  string: bytes of replies and frames in the stream, less what the gateway has read (trim-inbox.lua)
--          fields      the entry
--          bytes       of its settlements or frames; of settlements that are named, of their ids
--
-- The inbox is bounded by its bytes. A gateway that falls behind by more loses what is in it, and finds it as stored results.

local MOST_INBOX_BYTES = 67108864
-- As long as an inbox that its gateway does not renew.
local INBOX_EXPIRY_MS = 60000

local function sendReplies(inbox, inboxBytes, fields, bytes)
  -- No stream, no gateway: a stopped gateway's inbox has expired, and must not come back without an expiry.
  if not call('XADD', inbox, 'NOMKSTREAM', '*', unpack(fields)) then return end
  local total = call('INCRBY', inboxBytes, format('%d', bytes))
  if total > MOST_INBOX_BYTES then
    call('XTRIM', inbox, 'MAXLEN', '0')
    call('SET', inboxBytes, '0', 'PX', format('%d', INBOX_EXPIRY_MS))
  elseif total == bytes then
    call('PEXPIRE', inboxBytes, format('%d', INBOX_EXPIRY_MS))
  end
end
