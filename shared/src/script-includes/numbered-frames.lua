-- Reads what live/numbered-frames.ts writes, see there.
--
-- Gives  readDigits(all, at), which returns the number that begins there, and what is behind it
--        readNumbered(all, take)  calls take(number, track, data) for each piece of text ('text') and reasoning ('reasoning')

local PIECE_END = '\31'

local function readDigits(all, at)
  local value, unit = 0, 1
  while true do
    local code = all:byte(at) or 0
    at = at + 1
    if code < 64 then return value + code * unit, at end
    value = value + (code - 64) * unit
    unit = unit * 64
  end
end

local TRACKS = { t = 'text', r = 'reasoning', T = 'text', R = 'reasoning' }

local function readNumbered(all, take)
  local at, number, length = 1, 0, #all
  while at <= length do
    local value, track, letter
    value, at = readDigits(all, at)
    local how = value % 4
    if how == 3 then number = 0 end
    number = number + math.floor(value / 4)
    if how ~= 3 then
      track = how == 0 and 'text' or 'reasoning'
      if how == 2 then
        letter = all:sub(at, at)
        track = TRACKS[letter]
        value, at = readDigits(all, at + 1)
      end
      local stop = all:find(PIECE_END, at, true)
      if not stop then return end
      local data = all:sub(at, stop - 1)
      at = stop + 1
      if letter == 'T' or letter == 'R' then data = cjson.decode(data) end
      if track then take(number, track, data) end
    end
  end
end
