-- Ends the script where the key is not genuine. Bad keys are counted by address, and many of them ban it.
--
-- Needs  genuine (genuine-key.lua)
--        dismiss(decision)  how the script answers a request that it does not let through

local TEN_MINUTES, BAN = 600, 3600

if genuine == 0 then
  local most = tonumber(mostBadKeys)
  if most > 0 then
    local bad, badCount, badBase, badOldest, badNewest = lookAtWindow(badKeys, TEN_MINUTES)
    addToWindow(badKeys, TEN_MINUTES, badCount, badBase, badOldest, badNewest)
    if bad + 1 >= most then
      call('SET', addressBan, 'brute-force', 'EX', format('%d', BAN))
      call('DEL', badKeys)
      -- As in judge-address.lua; a function for both would cost every admission 0.5 µs.
      call('ZREMRANGEBYSCORE', blocked, '-inf', format('%d', now))
      call('ZADD', blocked, 'GT', format('%d', now + BAN * 1000), address)
    end
  end
  return dismiss('unknown_key')
end
