import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from '../harness/service.ts';

/** What a process holds, once its garbage has been collected. */
export interface Held {
  readonly heapMb: number;
  /** Timers, sockets and whatever else keeps a process alive: the fewest within a second. */
  readonly resources: number;
  /** Listeners of the process itself. */
  readonly listeners: number;
}

/** Needed by a service that is to be inspected. Each takes a free port, because there are several. */
export const INSPECTABLE = { NODE_OPTIONS: '--inspect-port=0' };

const RESOURCES = 'process.getActiveResourcesInfo().length';
const LISTENERS = 'process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)';

const LOOKS = 20;

interface Reply {
  readonly id: number;
  readonly result: { readonly usedSize?: number; readonly result?: { readonly value: number } };
}

/**
 * Looks into a running process by the debugger's protocol, which the signal SIGUSR1 opens. What the system says of a
 * process's memory is mostly garbage that has not been collected yet.
 */
export async function inspectProcess(service: Service): Promise<() => Promise<Held>> {
  service.process.kill('SIGUSR1');
  let url: string | undefined;
  while (url === undefined) {
    await delay(50);
    url = /Debugger listening on (ws:\S+)/.exec(service.logs())?.[1];
  }
  const socket = new WebSocket(url);
  await new Promise((opened) => socket.addEventListener('open', opened, { once: true }));
  const waiting = new Map<number, (reply: Reply['result']) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as Reply;
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let ids = 0;
  const call = (method: string, params: Record<string, string> = {}) =>
    new Promise<Reply['result']>((resolve) => {
      waiting.set(++ids, resolve);
      socket.send(JSON.stringify({ id: ids, method, params }));
    });
  const evaluate = async (expression: string) =>
    (await call('Runtime.evaluate', { expression })).result?.value ?? Number.NaN;
  return async () => {
    await call('HeapProfiler.collectGarbage');
    const { usedSize = Number.NaN } = await call('Runtime.getHeapUsage');
    return {
      heapMb: usedSize / 1_048_576,
      resources: await fewest(() => evaluate(RESOURCES)),
      listeners: await evaluate(LISTENERS),
    };
  };
}

/** The lowest of several looks within a second. */
async function fewest(count: () => Promise<number>): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let look = 0; look < LOOKS; look++) {
    lowest = Math.min(lowest, await count());
    await delay(1_000 / LOOKS);
  }
  return lowest;
}
