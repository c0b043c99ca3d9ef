-- The state of sliding windows; what they are and how they are laid out is in sliding-window.lua.
--
-- Gives  lookAtWindow(key, span)  the state of the window: how many it holds, the count that runs on, what stands before
--                                 it, its oldest live second and its newest entry's (these two nil where it is empty)
--        HOUR, the usual span, in seconds; and `call`, `format`, `pack` and `unpackFrom`, of Redis and Lua
--
-- What has left the window for good it drops, and counts nothing.

--- @include <clock>

local HOUR = 3600
-- second, base, oldest, count
local ENTRY, ENTRY_BYTES = '>I4dI4d', 24
local call, format, pack, unpackFrom = redis.call, string.format, struct.pack, struct.unpack

-- Packs a window of texts: what is live of it, and the newest entry that has left. What is neither is left out.
local function packWindow(key, span)
  local texts, base, oldest = call('LRANGE', key, '0', '-1'), 0, nil
  call('DEL', key)
  for _, text in ipairs(texts) do
    local at, count = string.match(text, '^(%d+):(%d+)$')
    at, count = tonumber(at), tonumber(count)
    if at and at < second - span then
      base = count
      call('DEL', key)
      call('RPUSH', key, pack(ENTRY, at, base, at, count))
    elseif at then
      oldest = oldest or at
      call('RPUSH', key, pack(ENTRY, at, base, oldest, count))
    end
  end
  -- Not EXPIRE: stats-service looks at windows, too, and its user of Redis may not.
  call('PEXPIRE', key, format('%d', (span + 2) * 1000))
end

local function lookAtWindow(key, span)
  local tail = call('LINDEX', key, '-1')
  if tail and #tail ~= ENTRY_BYTES then
    packWindow(key, span)
    tail = call('LINDEX', key, '-1')
  end
  if not tail then return 0, 0, 0 end
  local newest, base, oldest, count = unpackFrom(ENTRY, tail)
  -- An entry further ahead than the span is from a clock that was wrong: it would count for as long as that was ahead.
  if newest < second - span or newest > second + span then
    call('DEL', key)
    return 0, 0, 0
  end
  if oldest < second - span then
    base, oldest = select(4, unpackFrom(ENTRY, call('LINDEX', key, '0'))), nil
    while not oldest do
      local next, _, _, through = unpackFrom(ENTRY, call('LINDEX', key, '1'))
      if next >= second - span then
        oldest = next
      else
        call('LPOP', key)
        base = through
      end
    end
  end
  return count - base, count, base, oldest, newest
end
