-- Ends the script where the caller's address is banned, or its hour is used up; neither is counted.
--
-- Needs  ban     who banned the address; false where it is not banned, or where it does not matter
--        isFull  whether its hour is used up
--        genuine and exempt (genuine-key.lua), answer

-- What fits into the answer: 68 years.
local MOST_SECONDS = 2147483647

-- Pages that another person opens, or one bad caller among many, must not lock out the keys behind their address.
if ban and (ban ~= 'brute-force' or genuine == 0) then
  return answer('address_blocked', math.min(call('TTL', addressBan), MOST_SECONDS))
end
if isFull and exempt == 0 then
  -- Listed for the operator. A ban may outlast a full hour.
  call('ZREMRANGEBYSCORE', blocked, '-inf', format('%d', now))
  call('ZADD', blocked, 'GT', format('%d', ((oldest or second) + HOUR + 1) * 1000), address)
  return answer('address_limited')
end
