import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { LoadMessage } from '../load/load-plan.ts';

/** The asking end of the bare queue loop. */
export interface QueueClient {
  /** Adds a job that takes so many ms, and waits for its reply. @throws when Redis fails */
  ask(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** @param socket where Redis listens. @throws when Redis fails */
export async function openQueueClient(socket: string): Promise<QueueClient> {
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
  return {
    async ask(ms) {
      const jobId = randomUUID();
      const replied = new Promise<void>((resolve) => waiting.set(jobId, resolve));
      await queue.add('floor', { prompt: 'Tell me about palm leaves.', ms }, { jobId, removeOnComplete: true });
      await replied;
    },
    async close() {
      await queue.close();
      connection.disconnect();
      subscriber.disconnect();
    },
  };
}

/** A long message takes its time; cut short by the end of this process it would be lost. */
export function report(message: LoadMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}
