import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listInstances } from '@lontar/shared/instances.ts';
import { QUEUE_PREFIX } from '@lontar/shared/redis-keys.ts';
import { ask, expectSuccess } from './harness/client.ts';
import { eventually } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

/** BullMQ lets no worker take a job while as many are in work as this field of its settings allows. */
const LIMIT = [`${QUEUE_PREFIX}:generation:meta`, 'concurrency'] as const;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ stats: true, protocol: 'demo' });
}, 60_000);
afterAll(() => stack.stop());

test('a worker that is alive and does nothing while a job waits says that it is not ready, until it works again', async () => {
  const { client } = stack.redis;
  const { key } = await stack.createKey();
  const worker = (await listInstances(client)).find(({ service }) => service === 'worker');
  const readiness = async () => (await fetch((worker?.metricsUrl ?? '').replace('/metrics', '/readyz'))).text();
  const health = async () => (await ask(stack.url, '/api/health')).body as { workers: { status: string } };
  expect(await readiness()).toBe('ok\n');

  await client.hset(...LIMIT, '0');
  const reply = ask(stack.url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': key } });
  await eventually(async () => (await readiness()).startsWith('not ready: no progress for'), 60_000);
  await eventually(async () => (await health()).workers.status === 'down', 20_000);

  await client.hdel(...LIMIT);
  expectSuccess(await reply);
  expect(await readiness()).toBe('ok\n');
  await eventually(async () => (await health()).workers.status === 'ok', 20_000);
}, 120_000);
