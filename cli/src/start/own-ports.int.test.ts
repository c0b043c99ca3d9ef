import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { PROCESS_ID_HEADER } from '@lontar/shared/http/probes.ts';
import { listen } from '@lontar/shared/http/server.ts';
import { StartFailure } from '../failure/start-failure.ts';
import { createPortFinder, isFree } from '../processes/ports.ts';
import { untilReady } from './readiness.ts';
import { type PortPlan, startOnFreePorts } from './start-services.ts';

const HOST = '127.0.0.1';
let others: Server[] = [];

afterEach(() => {
  for (const other of others) other.close();
  others = [];
});

/** A process that says of itself that it is ready, as those of another start beside this one do. */
async function listening(pid: () => number): Promise<{ port: number; asked(): Promise<unknown> }> {
  const server = createServer((_, response) => {
    response.setHeader(PROCESS_ID_HEADER, String(pid()));
    response.end('ok');
  });
  others.push(server);
  await once(server.listen(0, HOST), 'listening');
  return { port: (server.address() as AddressInfo).port, asked: () => once(server, 'request') };
}

describe('a process is ready when it says so itself', () => {
  test('and not when another one does at its port', async () => {
    let answering = process.pid + 1;
    const { port, asked } = await listening(() => answering);
    let isReady = false;
    const ready = untilReady(port, process.pid, new AbortController().signal).then(() => {
      isReady = true;
    });
    await asked();
    // The second time it is asked, the first answer has been read.
    await asked();
    expect(isReady).toBe(false);
    answering = process.pid;
    await ready;
  });

  test('one that could not be started is never ready', async () => {
    const { port, asked } = await listening(() => process.pid);
    const over = new AbortController();
    const ready = untilReady(port, undefined, over.signal);
    await asked();
    over.abort();
    await expect(ready).rejects.toThrow('aborted');
  });
});

describe('ports that others opened first', () => {
  const planOf = (port: number): PortPlan => ({
    services: [],
    gateways: [],
    portsInUse: { 'worker-1': { METRICS_PORT: String(port) } },
  });
  const free = (_: string, port: number) => isFree(port, HOST);

  test('all is started once more, with other ports', async () => {
    const { port } = await listening(() => 1);
    const next = await createPortFinder(1).firstFree(port, HOST);
    expect(next).toBeGreaterThan(port);
    const tried: string[] = [];
    const said: string[] = [];
    const plan = await startOnFreePorts(planOf(port), {
      async start({ portsInUse }) {
        const own = portsInUse['worker-1']?.['METRICS_PORT'] ?? '';
        tried.push(own);
        if (own === String(port)) throw new StartFailure('worker-1 did not start.');
      },
      planAgain: async () => planOf(next),
      isFree: free,
      say: (text) => said.push(text),
    });
    expect(tried).toEqual([String(port), String(next)]);
    expect(plan).toEqual(planOf(next));
    expect(said).toEqual([
      `Another program opened port ${port} first: the services are started again with other ports.`,
    ]);
  });

  test('all is started once more also where the other program has ended meanwhile', async () => {
    const { port } = await listening(() => 1);
    const place = { port, host: HOST, setting: 'METRICS_PORT' };
    const said = await listen(createServer(), place).catch((error: Error) => error.message);
    others.pop()?.close();
    let rounds = 0;
    const taken = `The end of its log (worker-1.log):\n${String(said)}`;
    const start = () => {
      rounds += 1;
      return rounds === 1 ? Promise.reject(new StartFailure(taken)) : Promise.resolve();
    };
    const steps = { start, planAgain: async () => planOf(port), isFree: free, say: () => undefined };
    expect(await startOnFreePorts(planOf(port), steps)).toEqual(planOf(port));
    expect(rounds).toBe(2);
  });

  test('what fails with free ports fails as it did, at once', async () => {
    const { port } = await listening(() => 1);
    others.pop()?.close();
    const failure = new StartFailure('worker-1 did not start. It ended with exit code 1.');
    const steps = { planAgain: () => Promise.reject(new Error('not again')), isFree: free, say: () => undefined };
    const start = () => Promise.reject(failure);
    await expect(startOnFreePorts(planOf(port), { ...steps, start })).rejects.toBe(failure);
  });

  test('after five rounds it is given up', async () => {
    const { port } = await listening(() => 1);
    let rounds = 0;
    const start = () => {
      rounds += 1;
      return Promise.reject(new StartFailure('taken'));
    };
    const steps = { start, planAgain: async () => planOf(port), isFree: free, say: () => undefined };
    await expect(startOnFreePorts(planOf(port), steps)).rejects.toThrow('taken');
    expect(rounds).toBe(5);
  });
});
