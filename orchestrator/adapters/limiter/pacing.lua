-- The rules of pacing.py for all workers together: one call, one step, on the server's clock.
-- KEYS: what is known of the endpoint; by run, its share used; by run, its line.
-- ARGV: op, now ('' = the server's time), run, tokens, requests a second, tokens a second, and
--   take: patience      told: asked_at, unused, refused (0 or 1), pause
-- Returns: seconds to wait, 1 if the place is taken, now, the learned rate in requests a second.

local HEADROOM = 0.9
local BURST = 60 * (1 - HEADROOM) / HEADROOM
local GROWS, FORGOTTEN, SLOWEST, WINDOW = 30, 600, 1 / 60, 10
local LONGEST_PAUSE, LONGEST_LINE = 30, 60
local KEPT = 3600

local state, booked, line = KEYS[1], KEYS[2], KEYS[3]
local op, run = ARGV[1], ARGV[3]
local tokens, requests_rate, tokens_rate = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) + tonumber(time[2]) / 1000000
end

local known = {}
local flat = redis.call('HGETALL', state)
for i = 1, #flat, 2 do known[flat[i]] = tonumber(flat[i + 1]) end
local changed = {}
local function get(name) return changed[name] or known[name] or 0 end
local function text(number) return string.format('%.17g', number) end

local function effective()
  local since = now - get('cut_at')
  if get('learned') == 0 or since > FORGOTTEN then return 0 end
  return get('learned') * (1 + math.max(0, since) / GROWS)
end

local function until_free(name, amount, rate, burst)
  if rate == 0 then return 0 end
  return get(name) + math.min(amount / rate, burst) - burst - now
end

local function fill(name, amount, rate, start)
  if rate > 0 then changed[name] = math.max(get(name), start) + amount / rate end
end

local function cost(learned)
  local most = 0
  if requests_rate > 0 then most = math.max(most, 1 / requests_rate) end
  if learned > 0 then most = math.max(most, 1 / learned) end
  if tokens_rate > 0 then most = math.max(most, tokens / tokens_rate) end
  return most
end

local function of_run(map) return tonumber(redis.call('HGET', map, run) or 0) end

local function wanting()
  local until_when = {}
  for _, map in ipairs({booked, line}) do
    local pairs_of = redis.call('HGETALL', map)
    for i = 1, #pairs_of, 2 do
      until_when[pairs_of[i]] = math.max(until_when[pairs_of[i]] or 0, tonumber(pairs_of[i + 1]))
    end
  end
  local count = 1
  for one, when in pairs(until_when) do
    if when <= now then
      redis.call('HDEL', booked, one)
      redis.call('HDEL', line, one)
    elseif one ~= run then
      count = count + 1
    end
  end
  return count
end

local function sent_away(earliest, price)
  local places = price > 0 and math.max(1, math.floor((now + LONGEST_LINE - earliest) / price)) or 0
  local place = math.min(math.max(of_run(line), earliest), earliest + places * price)
  redis.call('HSET', line, run, text(place + price))
  return place - now
end

local function observed()
  local since = now - get('window_at')
  if get('window_before') > 0 then
    return (get('window_before') + get('window')) / (WINDOW + math.max(0, since))
  end
  return get('window') / math.max(1, since)
end

local function cut(asked_at)
  local learned = effective()
  if learned > 0 and asked_at <= get('cut_at') then return end
  local soon = now - get('cut_at') < LONGEST_PAUSE + BURST and learned > 0
  changed.cuts = soon and get('cuts') + 1 or 1
  changed.learned = math.max(SLOWEST, (learned > 0 and learned or observed()) / 2)
  changed.cut_at = now
end

local function count()
  local windows = get('window_at') > 0 and math.floor((now - get('window_at')) / WINDOW) or 2
  if windows >= 1 then
    changed.window_before = windows == 1 and get('window') or 0
    changed.window_at = windows == 1 and get('window_at') + WINDOW or now
    changed.window = 0
  end
  changed.window = get('window') + 1
end

local function take(patience)
  local learned = effective()
  local wait = math.max(0, get('until') - now,
    until_free('requests_at', 1, requests_rate, BURST),
    until_free('tokens_at', tokens, tokens_rate, BURST),
    until_free('learned_at', 1, learned, 0))
  local price, runs = cost(learned), wanting()
  if runs > 1 then
    wait = math.max(wait, of_run(booked) - math.max(BURST / runs, price * runs) - now)
  end
  if wait > patience then return sent_away(now + wait, price * runs), 0 end
  local start = now + wait
  fill('requests_at', 1, requests_rate, start)
  fill('tokens_at', tokens, tokens_rate, start)
  fill('learned_at', 1, learned, start)
  if price > 0 then
    redis.call('HSET', booked, run, text(math.max(of_run(booked), now) + price * runs))
  end
  count()
  return wait, 1
end

local function told(asked_at, unused, refused, pause)
  if tokens_rate > 0 then changed.tokens_at = get('tokens_at') - unused / tokens_rate end
  if refused then
    cut(asked_at)
    if pause < 0 then pause = math.min(LONGEST_PAUSE, 2 ^ (get('cuts') - 1)) end
  end
  if pause > 0 then
    changed['until'] = math.max(get('until'), now + pause)
    changed.learned_at = math.max(get('learned_at'), get('until'))
  end
  if not refused then return math.max(0, get('until') - now), 0 end
  local price = cost(effective()) * wanting()
  return sent_away(math.max(now, get('until')), price), 0
end

local wait, taken
if op == 'take' then
  wait, taken = take(tonumber(ARGV[7]))
else
  wait, taken = told(tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9] == '1', tonumber(ARGV[10]))
end
for name, value in pairs(changed) do redis.call('HSET', state, name, text(value)) end
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, KEPT) end
return {text(wait), taken, text(now), text(effective())}
