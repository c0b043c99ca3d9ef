-- The fence of a streamed answer: once a byte of one start was visible, no other start's text may follow.
--
-- Needs  call
-- Gives  mayShow(request, flight, id, start), which returns whether this start's text may be shown, and whether some of it
--          was before
--          request  hash; `visible` is the start whose text was shown
--          flight   sorted set of the key's reservations
--          start    of the job, from 1, as text
--        show(request, start)  notes that text of this start is shown
--
-- A start that a later one has overtaken may not: that one may have the model asked again. Nor may text of a request that
-- is settled, or whose reservation is gone: the hash would stay for ever.

local function mayShow(request, flight, id, start)
  local visible, result, fence = unpack(call('HMGET', request, 'visible', 'result', 'fence'))
  if result or not call('ZSCORE', flight, id) then return false, false end
  if visible then return visible == start, visible == start end
  return tonumber(fence or '1') <= tonumber(start), false
end

local function show(request, start)
  call('HSET', request, 'visible', start)
end
