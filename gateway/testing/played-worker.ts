import { GENERATION_JOB, type GenerationJob } from '@lontar/shared/generation-job.ts';
import { jobKeys } from '@lontar/shared/generation-queue.ts';
import { type Frame, type Track, writeFrames } from '@lontar/shared/live/frames.ts';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import type { Answered, Settlement } from '@lontar/shared/settlement/settlement.ts';

/** What a worker does with one job, played by a test: it decides what is written, and what is lost. */
export interface PlayedJob {
  readonly job: GenerationJob;
  /** Writes frames of the job into the gateway's inbox. */
  frames(...frames: readonly [track: Track, offset: number, data: string, start?: number][]): Promise<void>;
  /** Writes what a partial text holds, and learns which gateways follow. */
  partial(track: 'text' | 'reasoning', text: string): Promise<void>;
  /** Settles the job; where `texts` is false, the reply says only how long they are, and the stored result has them. */
  settle(settlement: Partial<Answered> | Settlement, how?: { readonly texts?: boolean }): Promise<void>;
}

/**
 * Takes the next job out of the queue, as a worker does.
 *
 * @throws when Redis fails
 */
export async function takeJob(redis: Redis): Promise<PlayedJob> {
  let id: string | null = null;
  while (id === null) {
    id = await redis.rpop(queueKeys.waiting);
    if (id === null) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const data = await redis.hget(queueKeys.job(id), 'data');
  const job = GENERATION_JOB.data.parse(JSON.parse(data ?? ''));
  await redis.hset(queueKeys.job(id), { ats: 1 });
  await redis.set(jobKeys(id).lock, 'played', 'PX', 60_000);
  return playJob(redis, job);
}

function playJob(redis: Redis, job: GenerationJob): PlayedJob {
  const { id, keyId, gateway, model, receivedAt } = job;
  let followers: string[] = [];
  return {
    job,
    async frames(...frames) {
      const written = frames.map(([track, offset, text, start = 1]): Frame => [id, start, track, offset, text]);
      for (const name of new Set([gateway, ...followers])) {
        await redis.xadd(redisKeys.inbox(name), '*', 'frames', writeFrames(written));
      }
    },
    async partial(track, text) {
      await redis.set(redisKeys.partial(id, track), text);
      followers = await redis.smembers(redisKeys.followers(id));
    },
    async settle(given, { texts = true } = {}) {
      const settlement: Settlement =
        'outcome' in given && given.outcome === 'failed' ? given : answered({ model, receivedAt, ...given });
      const replyTo = texts ? { replyTo: gateway } : {};
      await settle(redis, { requestId: id, keyId, settlement, freeFailuresPerHour: 5, attempt: 1, ...replyTo });
      await redis.del(redisKeys.partial(id, 'text'), redisKeys.partial(id, 'reasoning'));
      if (texts || settlement.outcome === 'failed') return;
      const { text, reasoning = '', ...rest } = settlement;
      const lengths = { textLength: text.length, reasoningLength: reasoning.length };
      const reply = JSON.stringify({ ...rest, text: '', ...lengths });
      await redis.xadd(redisKeys.inbox(gateway), '*', 'id', id, 'settlement', reply);
    },
  };
}

/** An answer with everything that a settlement has to say of it. */
function answered(given: Partial<Answered>): Answered {
  return {
    v: 1,
    outcome: 'answered',
    text: '',
    masked: { url: 0, key: 0, ip: 0, connection: 0 },
    usage: { input: 3, output: 5 },
    work: { attempts: 1, queuedMs: 1, modelMs: 2, maskMs: 0.1 },
    ...given,
  };
}
