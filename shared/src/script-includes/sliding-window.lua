-- Sliding windows: how many requests there were within the last seconds, exactly, in at most one read and one write.
--
-- Gives  lookAtWindow(key, span)  the state of the window, see window-state.lua
--        addToWindow(key, span, count, base, oldest, newest)  counts one request more in a window whose state is this
--        HOUR, the usual span, in seconds; and `call`, `format`, `pack` and `unpackFrom`, of Redis and Lua
--
-- A window is a list with one entry for each second that had a request. An entry is four numbers: second, base, oldest
-- and count, packed because to read them as text takes longer than the commands. The count runs on; base is the count of
-- the newest entry that had left when this one was written, and oldest the first second that had not, so that the newest
-- entry alone gives the window's state until another entry leaves. An entry leaves a whole second late, so that no more
-- than the limit fits into any 3,600 s, and memory is bounded by the seconds of the window. The newest entry that has left
-- stays in the list: its count is the next base.
--
-- Windows outlive a deploy, and services of two versions may count in one: their layout stays as it is. Before it, and so
-- after an upgrade of an early installation and in its backups, entries were texts, 'second:count'; a window of these is
-- written anew when it is looked at.

--- @include <window-state>

-- A key expires by the clock of the server, which may be ahead of the one that it was written by (clock.lua).
local EXPIRY_MARGIN = 122

local function addToWindow(key, span, count, base, oldest, newest)
  if newest and newest >= second then
    call('LSET', key, '-1', pack(ENTRY, newest, base, oldest, count + 1))
  else
    call('RPUSH', key, pack(ENTRY, second, base, oldest or second, count + 1))
    call('EXPIRE', key, format('%d', span + EXPIRY_MARGIN))
  end
end
