/**
 * The worker of the bare queue loop: answers each job with a text of 2 KB over pub/sub. Nothing else.
 *   node queue-worker.ts SOCKET CONCURRENCY
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { answerText } from '../wish.ts';

const [socket = '', concurrency] = process.argv.slice(2);
const connection = new Redis(socket, { maxRetriesPerRequest: null });
const publisher = new Redis(socket);
const answer = answerText(2048);

const worker = new Worker<{ ms: number }>(
  'floor',
  async (job) => {
    if (job.data.ms > 0) await delay(job.data.ms);
    await publisher.publish('floor-replies', `${job.id} ${answer}`);
  },
  { connection, concurrency: Number(concurrency) },
);
await worker.waitUntilReady();
console.log(JSON.stringify({ msg: 'takes jobs' }));
