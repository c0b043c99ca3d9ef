/**
 * The bare queue loop at a pace: adds so many jobs a second, whatever becomes of those before. Gets its orders as the load
 * generator does; `connections` is how many a second.
 *   node queue-pace.ts SOCKET [ms that each job takes]
 */
import type { LoadPlan } from '../load/load-plan.ts';
import { openQueueClient, report } from './queue-client.ts';

const TICK_MS = 2;
/** Jobs at once while its code is compiled, which is a part of what is measured. */
const WARM_UP_LOOPS = 100;

const [socket = '', jobMs] = process.argv.slice(2);
const client = await openQueueClient(socket);
process.once('message', (plan: LoadPlan) => void run(plan));

async function run({ connections: perSecond, warmUpSeconds, seconds }: LoadPlan): Promise<void> {
  const warmAt = performance.now() + warmUpSeconds * 1000;
  await Promise.all(Array.from({ length: WARM_UP_LOOPS }, () => askUntil(warmAt)));
  await report({ kind: 'started' });
  const latencies: number[] = [];
  const asked: Promise<void>[] = [];
  const startedAt = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      while (asked.length < perSecond * seconds) {
        const dueAt = startedAt + (asked.length * 1000) / perSecond;
        if (dueAt > performance.now()) return;
        asked.push(client.ask(Number(jobMs)).then(() => void latencies.push(performance.now() - dueAt)));
      }
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  await Promise.all(asked);
  await report({ kind: 'finished', seconds: (performance.now() - startedAt) / 1000, latencies, failures: {} });
  await client.close();
  process.disconnect();
}

async function askUntil(end: number): Promise<void> {
  while (performance.now() < end) await client.ask(0);
}
