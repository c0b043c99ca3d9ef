/**
 * Measures what docs/operating.md says of sizes: memory of each process at rest, and what one key, address, job, answer,
 * event and log row takes in Redis. `node e2e/measure-sizes.ts`
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startStack } from './harness/stack.ts';

const ADDRESSES = 100;
const JOBS = 100;
const EVENTS = 200;

const begin = performance.now();
const stack = await startStack({ stats: true, durable: true, settings: { TRUST_PROXY: '1', LOG_REQUESTS: 'false' } });
const startMs = performance.now() - begin;
const { client } = stack.redis;
stack.upstream.behave({ kind: 'answer', text: 'A sentence of an answer. '.repeat(82) });

const bytesOf = async (key: string) => Number(await client.call('MEMORY', 'USAGE', key, 'SAMPLES', '0'));
const usedMemory = async () => Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
const privateMb = async (pid: number | undefined) =>
  Math.round(Number(/^RssAnon:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
const generate = async (key: string, prompt: string, address = '198.51.100.1', signal?: AbortSignal) => {
  const response = await fetch(new URL('/api/ai', stack.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key, 'x-forwarded-for': address },
    body: JSON.stringify({ prompt }),
    ...(signal && { signal }),
  });
  await response.text();
  return response.headers.get('x-request-id') ?? '';
};
const settled = async () => {
  while ((await client.xlen(redisKeys.events)) > 0) await delay(100);
};

await delay(3_000);
const report: Record<string, string> = {
  'start of all processes': `${(startMs / 1000).toFixed(1)} s`,
  'gateway at rest': `${await privateMb(stack.gateways[0]?.process.pid)} MB`,
  'worker at rest': `${await privateMb(stack.workers[0]?.process.pid)} MB`,
  'stats-service at rest': `${await privateMb(stack.stats?.process.pid)} MB`,
  'Redis at rest': `${await privateMb(stack.redis.process().pid)} MB`,
};

const IN_WORK = 1_000;
const { key: eager } = await stack.createKey('--concurrency', String(IN_WORK));
stack.upstream.behave('hang');
const leave = new AbortController();
const inWork = Array.from({ length: IN_WORK }, (_, index) =>
  generate(eager, 'x'.repeat(1_000), `198.18.${Math.floor(index / 100)}.1`, leave.signal).catch(() => ''),
);
while ((await client.llen('{lontar}:generation:active')) < IN_WORK) await delay(50);
report[`worker with ${IN_WORK} calls in work`] = `${await privateMb(stack.workers[0]?.process.pid)} MB`;
report[`gateway with ${IN_WORK} requests in work`] = `${await privateMb(stack.gateways[0]?.process.pid)} MB`;
leave.abort();
await Promise.all(inWork);
stack.upstream.behave({ kind: 'answer', text: 'A sentence of an answer. '.repeat(82) });

const { id, key } = await stack.createKey('--per-hour', '100000');

const prompt = 'x'.repeat(1_000);
const requestId = await generate(key, prompt);
report['API key with a limit, once it was used'] = `${await bytesOf(redisKeys.apiKey(id))} B`;
report['settled answer of 2 KB (kept for 10 minutes)'] = `${await bytesOf(redisKeys.request(requestId))} B`;
report['address with one request in its hour'] = `${await bytesOf(redisKeys.addressHour('198.51.100.1'))} B`;
for (let index = 0; index < ADDRESSES; index++) await generate(key, prompt, '198.51.100.2');
report[`address with ${ADDRESSES} requests in its hour`] = `${await bytesOf(redisKeys.addressHour('198.51.100.2'))} B`;
await settled();

const kept = await usedMemory();
for (let index = 0; index < EVENTS; index++) await generate(key, prompt, `203.0.113.${index}`);
await settled();
report['everything that one answered request leaves behind at first'] =
  `${Math.round(((await usedMemory()) - kept) / EVENTS)} B`;

await stack.stats?.end('SIGTERM');
for (let index = 0; index < EVENTS; index++) await generate(key, prompt);
const events = await client.xlen(redisKeys.events);
report['event on its way'] = `${Math.round((await bytesOf(redisKeys.events)) / events)} B`;

await stack.lontar('queue', 'pause');
const before = await usedMemory();
const leaving = new AbortController();
const waiting = Array.from({ length: JOBS }, () => generate(key, prompt, '203.0.113.1', leaving.signal));
const WAITING = '{lontar}:generation:wait';
while ((await client.llen(WAITING)) < JOBS) await delay(50);
report['waiting job with a prompt of 1 KB'] = `${Math.round(((await usedMemory()) - before) / JOBS)} B`;
leaving.abort();
await Promise.allSettled(waiting);

await stack.stop();
for (const [what, size] of Object.entries(report)) console.log(`| ${what} | ${size} |`);
process.exit(0);
