import { expect, test } from '@jest/globals';
import { listInstances } from '@lontar/shared/instances.ts';
import { QUEUE_PREFIX } from '@lontar/shared/redis-keys.ts';
import { ask, expectSuccess } from './harness/client.ts';
import { eventually } from './harness/eventually.ts';
import type { Service } from './harness/service.ts';
import { startStack } from './harness/stack.ts';

/** Processes that are alive and do nothing. All of it is waiting until that is noticed, so each has a stack of its own, at once. */

/** BullMQ lets no worker take a job while as many are in work as this field of its settings allows. */
const LIMIT = [`${QUEUE_PREFIX}:generation:meta`, 'concurrency'] as const;
/** Makes a process hang for good on command, as an unforeseen text would. */
const HANG_ON_SIGNAL = `data:text/javascript,process.on('SIGUSR2',()=>{for(;;);})`;

test.concurrent('a worker that is alive and does nothing while a job waits says that it is not ready, until it works again', async () => {
  const stack = await startStack({ stats: true, protocol: 'demo' });
  try {
    const { client } = stack.redis;
    const { key } = await stack.createKey();
    const worker = (await listInstances(client)).find(({ service }) => service === 'worker');
    const readiness = async () => (await fetch((worker?.metricsUrl ?? '').replace('/metrics', '/readyz'))).text();
    const health = async () => (await ask(stack.url, '/api/health')).body as { workers: { status: string } };
    expect(await readiness()).toBe('ok\n');

    await client.hset(...LIMIT, '0');
    const reply = ask(stack.url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': key } });
    await eventually(async () => (await readiness()).startsWith('not ready: no progress for'));
    await eventually(async () => (await health()).workers.status === 'down');

    await client.hdel(...LIMIT);
    expectSuccess(await reply);
    expect(await readiness()).toBe('ok\n');
    await eventually(async () => (await health()).workers.status === 'ok');
  } finally {
    await stack.stop();
  }
}, 180_000);

test.concurrent('a service whose event loop is silent ends itself, says why, and serves again when it is started', async () => {
  const stack = await startStack({ stats: true, settings: { NODE_OPTIONS: `--import="${HANG_ON_SIGNAL}"` } });
  try {
    const services = [stack.gateways[0], stack.workers[0], stack.stats] as Service[];
    const { key } = await stack.createKey();
    const silentFrom = performance.now();
    const ends = services.map(async (service) => {
      const ended = new Promise((resolve) => {
        service.process.once('close', (_code, signal) => resolve(signal));
      });
      service.process.kill('SIGUSR2');
      expect(await ended).toBe('SIGKILL');
      expect(JSON.parse(service.logs().split('\n').at(-1) ?? '')).toMatchObject({
        level: 'fatal',
        msg: 'the event loop is silent; the process ends itself to be started again',
      });
    });
    await Promise.all(ends);
    // The contract is ten seconds of the process's own time; three of them that spin share a machine with other tests.
    expect(performance.now() - silentFrom).toBeLessThan(120_000);

    await Promise.all([stack.startStats(), stack.startWorker()]);
    const url = await stack.startGateway({ again: 0 });
    expectSuccess(await ask(url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': key } }));
  } finally {
    await stack.stop();
  }
}, 180_000);
