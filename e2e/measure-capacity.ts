/**
 * Checks the formula and the table of "How much do you need" in docs/operating.md: as many callers as are asked for, each once a
 * minute, a model that takes 8 s, prompts of 1 KB and answers of 2 KB. `node e2e/measure-capacity.ts --callers 1000`
 */
import { setTimeout as delay } from 'node:timers/promises';
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { cpuMs } from './bench/processes/usage.ts';
import { startStack } from './harness/stack.ts';

const PERIOD_SECONDS = 60;
const MODEL_MS = 8_000;
const PROMPT = 'x'.repeat(1_000);
const ANSWER = 'A sentence of an answer. '.repeat(82);
/** What the formula says of each request that was answered less than ten minutes ago, and of an empty Redis. */
const BYTES_OF_A_REQUEST = 2_048 + ANSWER.length;
const BYTES_OF_REDIS = 10e6;
const PLACES = 1_000;
const FREE_SHARE = 0.7;

const options = readOptions({
  name: 'node e2e/measure-capacity.ts',
  about: 'Checks the formula of docs/operating.md, "How much do you need", by a run.',
  options: {
    callers: { type: 'number', value: 'N', default: 1_000, about: 'callers, of whom each asks once a minute' },
    seconds: { type: 'number', value: 'N', default: 60, about: 'how long they go on asking' },
  },
});
const perSecond = options.callers / PERIOD_SECONDS;
const atOnce = perSecond * (MODEL_MS / 1_000);
const places = atOnce / FREE_SHARE;
const workers = Math.ceil(places / PLACES);

const stack = await startStack({ stats: true, durable: true, workers, settings: { LOG_REQUESTS: 'false' } });
const { client } = stack.redis;
stack.upstream.behave({ kind: 'answer', text: ANSWER, delayMs: MODEL_MS });
const { key } = await stack.createKey('--no-address-limit', '--concurrency', '10000');

const counts = { answered: 0, inWork: 0, mostInWork: 0 };
/** What the others got: a status, or the code of the error that ended their connection. */
const refused = new Map<number | string, number>();
const tookMs: number[] = [];
async function ask(): Promise<void> {
  const begin = performance.now();
  counts.inWork++;
  counts.mostInWork = Math.max(counts.mostInWork, counts.inWork);
  const ended = await fetch(new URL('/api/ai', stack.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ prompt: PROMPT }),
  }).then(async (response) => (await response.text(), response.status), codeOf);
  counts.inWork--;
  if (ended === 200) counts.answered++;
  else refused.set(ended, (refused.get(ended) ?? 0) + 1);
  tookMs.push(performance.now() - begin);
}

/** Of a connection that broke. */
function codeOf(error: unknown): string {
  const { code = 'no connection' } = ((error as Error).cause ?? {}) as { readonly code?: string };
  return code;
}

const services = [...stack.gateways, ...stack.workers, ...(stack.stats ? [stack.stats] : [])];
const pids = services.map(({ process: { pid = 0 } }) => pid);
const cpuBefore = pids.map(cpuMs);
const begin = performance.now();
const asked: Promise<void>[] = [];
while (performance.now() - begin < options.seconds * 1_000) {
  // As many as are due: a busy machine makes up for what it has missed.
  while (asked.length < ((performance.now() - begin) / 1_000) * perSecond) asked.push(ask());
  await delay(5);
}
await Promise.all(asked);
const seconds = (performance.now() - begin) / 1_000;
const usedBytes = Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
const ofACore = pids.reduce((sum, pid, index) => sum + cpuMs(pid) - (cpuBefore[index] ?? 0), 0) / 1_000 / seconds;

const sorted = tookMs.toSorted((a, b) => a - b);
const rows: [what: string, formula: string, measured: string][] = [
  ['requests per second', perSecond.toFixed(1), (asked.length / options.seconds).toFixed(1)],
  ['most in work at once', atOnce.toFixed(0), String(counts.mostInWork)],
  ['workers', String(workers), String(stack.workers.length)],
  ['answered', String(asked.length), String(counts.answered)],
  [
    'others, by status or error',
    'none',
    [...refused].map(([ended, count]) => `${ended}: ${count}`).join(', ') || 'none',
  ],
  ['time to an answer, p99', `${MODEL_MS} ms`, `${(sorted[Math.floor(sorted.length * 0.99)] ?? 0).toFixed(0)} ms`],
  [
    'memory of Redis',
    `${((BYTES_OF_REDIS + asked.length * BYTES_OF_A_REQUEST) / 1e6).toFixed(0)} MB`,
    `${(usedBytes / 1e6).toFixed(0)} MB`,
  ],
  ['processor time of all services', '', `${(ofACore * 100).toFixed(0)} % of a core`],
];
console.log('| what | formula | measured |\n|---|---|---|');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
await stack.stop();
