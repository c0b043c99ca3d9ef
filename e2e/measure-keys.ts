/**
 * Measures what 50,000 API keys take in Redis, and how long lists, searches and changes of them take; with a rate, while
 * callers make so many requests a second of a whole service on the same Redis. `node e2e/measure-keys.ts [KEYS] [RATE]`
 */

import { PACKED_TERMS } from '@lontar/shared/api-key-record.ts';
import { updateKey } from '@lontar/shared/keys/change-key.ts';
import { createKey } from '@lontar/shared/keys/create-key.ts';
import { countKeys, listKeys } from '@lontar/shared/keys/list-keys.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis } from '@lontar/shared/testing/redis-server.ts';
import { startStack } from './harness/stack.ts';

const KEYS = Number(process.argv[2] ?? 50_000);
const RATE = Number(process.argv[3] ?? 0);
const AT_ONCE = 500;
const TRIES = 200;
/** As long as the terms of a key without lists are. */
const TERMS = Buffer.alloc(60, 1);
const MINUTES = 29_000_000;
const MOST_OPEN = 1_000;

const server = await startTestRedis();
const redis = server.client;
const actor = { by: 'service', id: 'measure-keys' } as const;
const place = { redis, pepper: 'p'.repeat(40) };
const usedMemory = async () => Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
const say = (what: string, value: string) => process.stdout.write(`${what.padEnd(44)} ${value}\n`);

const before = await usedMemory();
const ids: string[] = [];
for (let from = 0; from < KEYS; from += AT_ONCE) {
  const made = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) => {
      const number = from + index;
      const owner = `customer${number % 5_000}@example.org`;
      return createKey(place, { name: `shop ${number} key`, owner, perHour: 100, credits: 1_000 }, { actor });
    }),
  );
  ids.push(...made.map(({ record }) => record.id));
}
// As admission and the statistics leave a key that is used.
for (const [index, id] of ids.entries()) {
  void redis.hset(redisKeys.apiKey(id), PACKED_TERMS, TERMS, 'charged', 17);
  void redis.zadd(redisKeys.apiKeyUse, 'XX', MINUTES + (index % 40_000), id);
}
// The log of changes is bounded by time and number, not by keys.
await redis.unlink(redisKeys.audit);
say(`memory of a key with its indexes (${KEYS} keys)`, `${Math.round(((await usedMemory()) - before) / KEYS)} B`);

async function measure(what: string, run: (number: number) => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let number = 0; number < TRIES; number += 1) {
    const begin = performance.now();
    await run(number);
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  const [p50 = 0, p95 = 0] = [times[TRIES / 2], times[(TRIES * 95) / 100]];
  say(what, `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`);
}

const load = RATE > 0 ? await startLoad() : undefined;
let cursor: string | null = null;
await measure('list, page after page', async () => {
  ({ cursor } = await listKeys(redis, { cursor: cursor ?? undefined }));
});
await measure('list by name', () => listKeys(redis, { sort: 'name' }));
await measure('list by last use', () => listKeys(redis, { sort: 'used', descending: true }));
await measure('search that finds many', (number) => listKeys(redis, { search: `shop ${number}` }));
await measure('search with a filter that finds none', () => listKeys(redis, { search: 'shop', state: 'revoked' }));
await measure('filter by owner', (number) => listKeys(redis, { owner: `customer${number}@example.org` }));
await measure('filter by state', () => listKeys(redis, { state: 'active' }));
await measure('count by state', () => countKeys(redis));
await measure('rename', (number) => updateKey(redis, ids[number] ?? '', { name: `other ${number}` }, { actor }));
const answered = await load?.();
if (answered !== undefined) say('requests answered meanwhile', `${Math.round(answered)} a second`);
await server.stop();

/** A service on the same Redis, whose callers come at a steady rate. */
async function startLoad(): Promise<() => Promise<number>> {
  const stack = await startStack({ stats: true, redis: server, settings: { LOG_REQUESTS: 'false' } });
  stack.upstream.behave({ kind: 'answer', text: 'A sentence of an answer. '.repeat(82) });
  const { key } = await stack.createKey('--concurrency', '10000', '--no-address-limit');
  const url = new URL('/api/ai', stack.url);
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const body = JSON.stringify({ prompt: 'x'.repeat(200) });
  let [sent, answered] = [0, 0];
  const open = new Set<Promise<void>>();
  const send = async () => {
    const response = await fetch(url, { method: 'POST', headers, body });
    await response.text();
    if (response.ok) answered += 1;
  };
  const begin = performance.now();
  const timer = setInterval(() => {
    for (; sent < (RATE * (performance.now() - begin)) / 1000 && open.size < MOST_OPEN; sent += 1) {
      const one: Promise<void> = send()
        .catch(() => undefined)
        .finally(() => open.delete(one));
      open.add(one);
    }
  }, 10);
  return async () => {
    const seconds = (performance.now() - begin) / 1000;
    const perSecond = answered / seconds;
    clearInterval(timer);
    await Promise.all(open);
    await stack.stop();
    return perSecond;
  };
}
