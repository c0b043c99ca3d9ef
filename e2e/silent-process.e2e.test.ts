import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ask, expectSuccess } from './harness/client.ts';
import type { Service } from './harness/service.ts';
import { type Stack, startStack } from './harness/stack.ts';

/** Makes a process hang for good on command, as an unforeseen text would. */
const HANG_ON_SIGNAL = `data:text/javascript,process.on('SIGUSR2',()=>{for(;;);})`;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ stats: true, settings: { NODE_OPTIONS: `--import="${HANG_ON_SIGNAL}"` } });
}, 60_000);
afterAll(() => stack.stop());

test('a service whose event loop is silent ends itself, says why, and serves again when it is started', async () => {
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
  // The contract is ten seconds; a busy test machine gets some of its own.
  expect(performance.now() - silentFrom).toBeLessThan(45_000);

  await Promise.all([stack.startStats(), stack.startWorker()]);
  const url = await stack.startGateway({ again: 0 });
  expectSuccess(await ask(url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': key } }));
}, 120_000);
