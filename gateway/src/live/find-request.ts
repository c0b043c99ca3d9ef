import { GENERATION_JOB } from '@lontar/shared/generation-job.ts';
import { jobKeys } from '@lontar/shared/generation-queue.ts';
import { MODEL_NAME } from '@lontar/shared/models/model-name.ts';
import { type RedisTime, redisTimeSchema } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';
import { readResult } from '@lontar/shared/settlement/settle.ts';
import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import type { AnswerTexts } from './answer-stream.ts';

const findRequestScript = loadScript(new URL('./find-request.lua', import.meta.url));

/** A request as it is found for a caller who asks for its answer once more. */
export type FoundRequest =
  /** There is none, or it is another key's. */
  | { readonly kind: 'none' }
  | { readonly kind: 'settled'; readonly settlement: Settlement }
  /** Settled too, with so long an answer that readers share it. */
  | { readonly kind: 'long' }
  /** Without texts where they are so long that readers share them. */
  | { readonly kind: 'open'; readonly texts?: AnswerTexts; readonly asked: AskedBefore };

/** Each reader may hold a result, or texts, of so many bytes. */
const MOST_HELD_BYTES = 65_536;

/** What is known of a request that is not settled, beside its answer; nothing where its job is not in the queue. */
export interface AskedBefore {
  readonly model?: string;
  readonly receivedAt?: RedisTime;
}

/**
 * Finds a request of a key.
 *
 * @param gateway that follows its answer as it grows: workers send it the frames from now on; absent for none
 * @throws when Redis fails; the gateway may follow all the same
 */
export async function findRequest(
  redis: Redis,
  { requestId, keyId, gateway = '' }: { requestId: string; keyId: string; gateway?: string },
): Promise<FoundRequest> {
  const owner = redisKeys.apiKey(keyId);
  const keys = [
    redisKeys.request(requestId),
    redisKeys.keyFlight(keyId),
    redisKeys.partial(requestId, 'reasoning'),
    redisKeys.partial(requestId, 'text'),
    redisKeys.followers(requestId),
    jobKeys(requestId).job,
  ];
  const args = [requestId, owner, gateway, GENERATION_JOB.resultTtlMs, MOST_HELD_BYTES];
  const reply = (await findRequestScript(redis, keys, args)) as
    | ['none']
    | ['settled', string, string]
    | ['long settled']
    | ['long open', string]
    | ['open', string, string, string];
  if (reply[0] === 'none') return { kind: 'none' };
  if (reply[0] === 'long settled') return { kind: 'long' };
  if (reply[0] === 'long open') return { kind: 'open', asked: readBeginning(reply[1]) };
  if (reply[0] === 'open') {
    const [, beginning, reasoning, text] = reply;
    return { kind: 'open', texts: { reasoning, text }, asked: readBeginning(beginning) };
  }
  const result = readResult(UNREADABLE, ['already', reply[1], reply[2]]);
  return { kind: 'settled', settlement: 'settlement' in result ? result.settlement : UNREADABLE };
}

const UNREADABLE: Settlement = { v: 1, outcome: 'failed', error: 'internal_error' };

/** Nothing is left where the job is: a gateway that has no reader any more gets no frames. Never rejects. */
export async function stopFollowing(redis: Redis, requestId: string, gateway: string): Promise<void> {
  // Its set expires with the answer.
  await redis.srem(redisKeys.followers(requestId), gateway).catch(() => 0);
}

/** Reads what is short of a job; it stands before all that callers wrote. */
function readBeginning(json: string): AskedBefore {
  const model = /"model":"([^"\\]*)"/.exec(json)?.[1];
  const receivedAt = redisTimeSchema.safeParse(Number(/"receivedAt":([0-9]{1,15})[,}]/.exec(json)?.[1])).data;
  const known = model !== undefined && MODEL_NAME.test(model);
  return { ...(known && { model }), ...(receivedAt !== undefined && { receivedAt }) };
}
