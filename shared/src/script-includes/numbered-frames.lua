-- Reads what live/numbered-frames.ts writes, see there.
--
-- Gives  readDigits(all, at), which returns the number that begins there, and what is behind it
--        readNumbered(all, take)  calls take(number, track, data) for each piece of text ('text') and reasoning ('reasoning')

local PIECE_ENDS, PIECE_NEXT, SPACE_END, SPACE_NEXT = '[\28-\31]', 30, 29, 28

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
  local at, number, length, isNext = 1, 0, #all, false
  while at <= length do
    local value, track, letter = 4, nil, nil
    if not isNext then value, at = readDigits(all, at) end
    local how = value % 4
    if how == 3 then number = 0 end
    number = number + math.floor(value / 4)
    isNext = false
    if how ~= 3 then
      track = how == 0 and 'text' or 'reasoning'
      if how == 2 then
        letter = all:sub(at, at)
        track = TRACKS[letter]
        value, at = readDigits(all, at + 1)
      end
      local stop = all:find(PIECE_ENDS, at)
      if not stop then return end
      local close = all:byte(stop)
      isNext = close == PIECE_NEXT or close == SPACE_NEXT
      local data = all:sub(at, stop - 1)
      if close == SPACE_END or close == SPACE_NEXT then data = data .. ' ' end
      at = stop + 1
      if letter == 'T' or letter == 'R' then data = cjson.decode(data) end
      if track then take(number, track, data) end
    end
  end
end
