/**
 * What it costs Redis to choose a route, and to give its place back: processor time of each script, and round trips.
 *   node e2e/bench/route-choice.ts [--calls=5000]
 */
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import type { Redis } from 'ioredis';
import { noteOutcomes, takeRoute, type UpstreamTerms } from '../../worker/src/upstreams/fleet-scripts.ts';
import { startBenchRedis } from './processes/bench-redis.ts';

const { calls } = readOptions({
  name: 'node e2e/bench/route-choice.ts',
  about: 'Says what it costs Redis to choose a route, and to give its place back.',
  options: { calls: { type: 'number', value: 'N', default: 5_000, about: 'choices of each case' } },
});
/** As many choices are on their way at once: a busy worker's. */
const AT_ONCE = 50;
/** Calls that have a place meanwhile, so that a set is as large as in use. */
const IN_FLIGHT = 200;

const terms = (upstream: string, over: Partial<UpstreamTerms> = {}): UpstreamTerms => ({
  upstream,
  mostInFlight: 0,
  callsPerMinute: 0,
  tokensPerMinute: 0,
  binds: true,
  ...over,
});
const PLACES = { mostInFlight: IN_FLIGHT + AT_ONCE };
const RATES = { callsPerMinute: 10_000_000, tokensPerMinute: 2_000_000_000 };
const FULL = { mostInFlight: 1 };
const CASES: readonly (readonly [string, readonly UpstreamTerms[]])[] = [
  ['one route, max_in_flight', [terms('a', PLACES)]],
  ['three routes, max_in_flight: the first has a place', ['a', 'b', 'c'].map((name) => terms(name, PLACES))],
  ['one route, max_in_flight, requests and tokens a minute', [terms('a', { ...PLACES, ...RATES })]],
  ['three routes, the first two full', [terms('full', FULL), terms('full2', FULL), terms('a', PLACES)]],
];

const server = await startBenchRedis();
const { client } = server;
try {
  for (const [name, wanted] of CASES) {
    await client.flushall();
    await fill(client, wanted);
    await choose(client, wanted, AT_ONCE * 4);
    const { take, note } = await choose(client, wanted, calls);
    console.log(`${name}: ${take.toFixed(1)} µs to choose, ${note.toFixed(1)} µs to note its end`);
  }
} finally {
  await server.stop();
}

/** Places that are taken for the whole time, and some failures that the fleet remembers: an upstream that is used. */
async function fill(redis: Redis, wanted: readonly UpstreamTerms[]): Promise<void> {
  for (const term of wanted) {
    const held = term.mostInFlight === FULL.mostInFlight ? 1 : IN_FLIGHT;
    for (let index = 0; index < held; index++) await takeRoute(redis, `held ${index}`, 100, [term]);
    await note(redis, term.upstream, 'held of before', 'failed');
    // Their workers renew them; here they are made to last.
    const key = `{lontar}:upstream-places:${term.upstream}`;
    for (const id of await redis.zrange(key, '0', '-1')) await redis.zadd(key, Date.now() + 600_000, id);
  }
}

async function choose(redis: Redis, wanted: readonly UpstreamTerms[], count: number) {
  const spent = { take: 0, note: 0 };
  for (let begun = 0; begun < count; begun += AT_ONCE) {
    const ids = Array.from({ length: AT_ONCE }, (_, index) => `req_0123456789abcdef${begun + index}:1:0`);
    spent.take += await spentBy(redis, async () => {
      const taken = await Promise.all(ids.map((id) => takeRoute(redis, id, 600, wanted)));
      const without = taken.filter(({ index }) => index === undefined).length;
      if (without > 0) throw new Error(`${without} of ${AT_ONCE} got no route`);
    });
    const upstream = wanted.find(({ mostInFlight }) => mostInFlight > 1)?.upstream ?? '';
    spent.note += await spentBy(redis, async () => {
      await Promise.all(ids.map((id) => note(redis, upstream, id, 'answered')));
    });
  }
  const choices = Math.ceil(count / AT_ONCE) * AT_ONCE;
  return { take: spent.take / choices, note: spent.note / choices };
}

function note(redis: Redis, upstream: string, id: string, how: 'answered' | 'failed') {
  const kind = how === 'answered' ? 'none' : 'server_error';
  const outcome = { class: how, kind, id, beganAt: Date.now(), count: 1, inFlight: 1 } as const;
  return noteOutcomes(redis, {
    upstream,
    outcomes: [outcome],
    moreTokens: 0,
    toldAt: Date.now() as Parameters<typeof noteOutcomes>[1]['toldAt'],
  });
}

/** Processor time of scripts in Redis meanwhile, µs: as INFO commandstats says, with the commands inside of them. */
async function spentBy(redis: Redis, work: () => Promise<void>): Promise<number> {
  const spent = async () => {
    const info = await redis.info('commandstats');
    return [...info.matchAll(/cmdstat_eval(?:sha)?:calls=\d+,usec=(\d+)/g)].reduce(
      (sum, [, usec]) => sum + Number(usec),
      0,
    );
  };
  const before = await spent();
  await work();
  return (await spent()) - before;
}
