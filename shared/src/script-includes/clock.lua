-- Redis's own clock, because those of the services may differ.
--
-- Gives  second  Unix seconds
--        now     Unix ms
--
-- The last argument is for this include alone, which takes it away: by how many ms this server's clock is corrected, so
-- that time goes on where another server became the primary whose clock says something else. `loadScript` adds it.

local correction = tonumber(table.remove(ARGV))
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(time[2] / 1000) + correction
local second = math.floor(now / 1000)
