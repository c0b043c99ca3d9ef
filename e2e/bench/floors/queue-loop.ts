/**
 * The bare queue loop, add → process → publish, without HTTP, limits or masking: what a service on this queue could
 * reach at most. A number of loops add one job each and wait for its reply. Gets its orders as the load generator does.
 */
import type { LoadPlan } from '../load/load-plan.ts';
import { openQueueClient, report } from './queue-client.ts';

const [socket = ''] = process.argv.slice(2);
const client = await openQueueClient(socket);
process.once('message', (plan: LoadPlan) => void run(plan));

async function run({ connections, warmUpSeconds, seconds }: LoadPlan): Promise<void> {
  const latencies: number[] = [];
  const [start, end] = [performance.now() + warmUpSeconds * 1000, performance.now() + (warmUpSeconds + seconds) * 1000];
  setTimeout(() => void report({ kind: 'started' }), warmUpSeconds * 1000);
  await Promise.all(Array.from({ length: connections }, () => loop(start, end, latencies)));
  await report({ kind: 'finished', seconds, latencies, failures: {} });
  await client.close();
  process.disconnect();
}

async function loop(start: number, end: number, latencies: number[]): Promise<void> {
  for (let sentAt = performance.now(); sentAt < end; sentAt = performance.now()) {
    await client.ask(0);
    const now = performance.now();
    if (now >= start && now <= end) latencies.push(now - sentAt);
  }
}
