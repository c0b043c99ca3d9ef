/** The worker of the bare queue loop: answers each job with a text of 2 KB over pub/sub. Nothing else. */
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { answerText } from '../wish.ts';

const [socket = ''] = process.argv.slice(2);
const connection = new Redis(socket, { maxRetriesPerRequest: null });
const publisher = new Redis(socket);
const answer = answerText(2048);

const worker = new Worker(
  'floor',
  async (job) => {
    await publisher.publish('floor-replies', `${job.id} ${answer}`);
  },
  { connection, concurrency: 50 },
);
await worker.waitUntilReady();
console.log(JSON.stringify({ msg: 'takes jobs' }));
