import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type OutcomeClass,
  parseState,
  UNKNOWN_STATE,
  type UpstreamState,
} from '@lontar/shared/models/upstream-state.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { noteOutcome, type Outcome } from './upstream-state.ts';

let server: TestRedis;

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

const RULES = readFileSync(new URL('./includes/upstream-state.lua', import.meta.url), 'utf8');
/** Applies outcomes as note-outcomes.lua does, each at a moment of the test's own. */
const APPLY = `local call = redis.call
${RULES}
local text = ARGV[1]
local written = {}
local at = 2
while at < #ARGV do
  local now, outcome = tonumber(ARGV[at])
  outcome, at = readOutcome(at + 1)
  local state = readState(text ~= '' and text)
  noteOutcome(state, outcome, now)
  text = keepState(KEYS[1], state)
  written[#written + 1] = text
end
return written`;

const CLASSES: readonly OutcomeClass[] = ['answered', 'failed', 'stalled', 'limited', 'unauthorized', 'unknown'];

function drawOutcome(random: () => number, now: number, probe: string): Outcome {
  const draw = random();
  // Mostly what leaves a breaker closed, so that all of its states are met.
  const kind = draw < 0.6 ? 'answered' : (CLASSES[Math.floor(random() * CLASSES.length)] ?? 'answered');
  return {
    class: kind,
    kind: 'server_error',
    id: random() < 0.3 ? probe : `call ${Math.floor(random() * 5)}`,
    beganAt: now - Math.floor(random() * 20_000),
    retryAfterMs: random() < 0.3 ? Math.floor(random() * 1_000_000) : undefined,
    count: kind === 'answered' ? 1 + Math.floor(random() * 20) : 1,
    inFlight: Math.floor(random() * 50),
  };
}

test.each([1, 2, 3, 4, 5, 6])('Redis and workers come to the same state (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  const states: UpstreamState[] = [];
  let now = 1_800_000_000_000;
  let state = UNKNOWN_STATE;
  for (let step = 0; step < 1_500; step++) {
    // Now and then so long that windows, breakers and limits run out.
    now += Math.floor(random() * (random() < 0.01 ? 700_000 : 1_500));
    // A call that tries the upstream, as take-route.lua chooses it.
    const isDue = state.openUntil > 0 ? state.openUntil < now : state.tryFrom > 0 && state.tryFrom < now;
    if (isDue && state.probe === '') state = Object.assign(structuredClone(state), { probe: `p${step}` });
    const outcome = drawOutcome(random, now, state.probe);
    const { class: kind, id, beganAt, retryAfterMs = '', count, inFlight } = outcome;
    const before = state;
    state = noteOutcome(state, outcome, now);
    const [written] = (await server.client.eval(
      APPLY,
      ...[1, 'state', JSON.stringify(before), now, kind, 'server_error', id, beganAt, retryAfterMs, count, inFlight],
    )) as string[];
    states.push(state);
    expect(parseState(written ?? '')).toEqual(state);
  }
  // All that can become of an upstream came up.
  expect(states.some(({ opens }) => opens > 2)).toBe(true);
  expect(states.some(({ closedAt }) => closedAt > 0)).toBe(true);
  expect(states.some(({ limit }) => limit > 1_000)).toBe(true);
  expect(states.some(({ tryFrom, probe }) => tryFrom > 0 && probe !== '')).toBe(true);
});

test('a call that tries an upstream and is ended by us is followed by another one a second later', () => {
  const now = 1_800_000_000_000;
  const due = { ...UNKNOWN_STATE, opens: 2, openUntil: now - 10, probe: 'p' };
  const unknown = { class: 'unknown', kind: 'ended by us', beganAt: now - 5, count: 1, inFlight: 1 } as const;
  expect(noteOutcome(due, { ...unknown, id: 'p' }, now)).toMatchObject({ probe: '', opens: 2, openUntil: now + 1_000 });
  expect(noteOutcome(due, { ...unknown, id: 'other' }, now)).toMatchObject({ probe: 'p', openUntil: now - 10 });
});

test('a call that tries whether a quota is there again cuts no limit when it is refused, and ends the trying when it is answered', () => {
  const now = 1_800_000_000_000;
  const limited = { class: 'limited', kind: 'rate_limited', beganAt: now, count: 1, inFlight: 8 } as const;
  const refused = noteOutcome(UNKNOWN_STATE, { ...limited, id: 'a', retryAfterMs: 5_000 }, now);
  expect(refused).toMatchObject({ limit: 4_000, aloneUntil: now + 5_000, tryFrom: now + 5_000 });
  const tried = { ...refused, probe: 'b' };
  const again = { ...limited, id: 'b', retryAfterMs: 5_000, beganAt: now + 5_000, inFlight: 1 };
  expect(noteOutcome(tried, again, now + 5_010)).toMatchObject({ limit: 4_000, probe: '', tryFrom: now + 10_010 });
  const answered = { ...again, class: 'answered', kind: 'none', retryAfterMs: undefined } as const;
  expect(noteOutcome(tried, answered, now + 5_500)).toMatchObject({ probe: '', tryFrom: 0 });
  // Calls of before say nothing of the time after.
  expect(noteOutcome(tried, answered, now + 100)).toMatchObject({ tryFrom: now + 5_000 });
  // One that does not say when bears others at once, so far as is known.
  expect(noteOutcome(UNKNOWN_STATE, { ...limited, id: 'a' }, now)).toMatchObject({ tryFrom: 0 });
});

test('what an upstream bears is forgotten by the first answer after ten quiet minutes', () => {
  const now = 1_800_000_000_000;
  const cut: UpstreamState = { ...UNKNOWN_STATE, limit: 4_000, ceiling: 8_000, cutAt: now, troubledAt: now };
  const answer = { class: 'answered', kind: 'none', id: '', beganAt: now, count: 1, inFlight: 1 } as const;
  expect(noteOutcome(cut, answer, now + 599_999)).toMatchObject({ limit: 4_000 });
  expect(noteOutcome(cut, answer, now + 600_000)).toMatchObject({ limit: 0, ceiling: 0 });
});

test('a limit that stalls have cut to one grows by one a round, once it is well above what was not borne', () => {
  const now = 1_800_000_000_000;
  let state: UpstreamState = { ...UNKNOWN_STATE, limit: 1_000, ceiling: 1_000, troubledAt: now, cutAt: now };
  let rounds = 0;
  for (; state.limit < 16_000 && rounds < 100; rounds++) {
    const inFlight = Math.floor(state.limit / 1_000);
    for (let call = 0; call < inFlight; call++) {
      const answer = { class: 'answered', kind: 'none', id: `${call}`, beganAt: now, count: 1, inFlight } as const;
      state = noteOutcome(state, answer, now + rounds * 500);
    }
  }
  expect(rounds).toBeGreaterThan(12);
  expect(rounds).toBeLessThan(25);
});
