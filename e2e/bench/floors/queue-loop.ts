/**
 * The bare queue loop, add → process → publish, without HTTP, limits or masking: what a service on this queue could
 * reach at most. A number of loops add one job each and wait for its reply. Gets its orders as the load generator does.
 */
import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { LoadMessage, LoadPlan } from '../load/load-plan.ts';

const [socket = ''] = process.argv.slice(2);
const connection = new Redis(socket);
const queue = new Queue('floor', { connection });
const subscriber = new Redis(socket);
const waiting = new Map<string, () => void>();

subscriber.on('message', (_channel: string, message: string) => {
  const id = message.slice(0, message.indexOf(' '));
  waiting.get(id)?.();
  waiting.delete(id);
});
await subscriber.subscribe('floor-replies');
process.once('message', (plan: LoadPlan) => void run(plan));

async function run({ connections, warmUpSeconds, seconds }: LoadPlan): Promise<void> {
  const latencies: number[] = [];
  const [start, end] = [performance.now() + warmUpSeconds * 1000, performance.now() + (warmUpSeconds + seconds) * 1000];
  setTimeout(() => void report({ kind: 'started' }), warmUpSeconds * 1000);
  await Promise.all(Array.from({ length: connections }, () => loop(start, end, latencies)));
  await report({ kind: 'finished', seconds, latencies, failures: {} });
  await queue.close();
  connection.disconnect();
  subscriber.disconnect();
  process.disconnect();
}

async function loop(start: number, end: number, latencies: number[]): Promise<void> {
  for (let sentAt = performance.now(); sentAt < end; sentAt = performance.now()) {
    const jobId = randomUUID();
    const replied = new Promise<void>((resolve) => waiting.set(jobId, resolve));
    await queue.add('floor', { prompt: 'Tell me about palm leaves.' }, { jobId, removeOnComplete: true });
    await replied;
    const now = performance.now();
    if (now >= start && now <= end) latencies.push(now - sentAt);
  }
}

/** A long message takes its time; cut short by the end of this process it would be lost. */
function report(message: LoadMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}
