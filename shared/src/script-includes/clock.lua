-- Redis's own clock, because those of the services may differ.
--
-- Gives  second  Unix seconds
--        now     Unix ms

local time = redis.call('TIME')
local second = tonumber(time[1])
local now = second * 1000 + math.floor(time[2] / 1000)
