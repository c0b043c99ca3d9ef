import { GENERATION_JOB } from '../generation-job.ts';
import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { loadScript } from '../redis-script.ts';

const savePartialsScript = loadScript(new URL('./save-partials.lua', import.meta.url));

/** What is new of one track. */
export interface Growth {
  /** Bytes (UTF-8) that Redis has already, as far as is known; 0 writes the track anew. */
  readonly bytes: number;
  /** What follows them; all of the track where `bytes` is 0. */
  readonly text: string;
}

export interface PartialAnswer {
  readonly requestId: string;
  readonly keyId: string;
  /** Number of the job's start. */
  readonly start: number;
  readonly text: Growth;
  readonly reasoning: Growth;
}

export type SavedPartial =
  | {
      readonly kind: 'saved';
      /** Bytes that Redis has now: fewer than expected where it has lost some. */
      readonly textBytes: number;
      readonly reasoningBytes: number;
      /** Gateways that follow the answer, beside the one that asked for it. */
      readonly followers: readonly string[];
    }
  /** `unseen`: no reader has seen anything, nor waits. `refused`: nothing of this start may be shown. */
  | { readonly kind: 'unseen' | 'refused' };

/**
 * Keeps what is masked so far of streamed answers. See save-partials.lua for the contract. Safe to repeat.
 *
 * @returns one for each answer, in their order
 * @throws when Redis fails; what was kept is then unknown, and the same call again finds out
 */
export async function savePartials(redis: Redis, answers: readonly PartialAnswer[]): Promise<SavedPartial[]> {
  const beginnings = [redisKeys.request(''), redisKeys.keyFlight(''), redisKeys.partial('', '').slice(0, -1)];
  const args: (string | number)[] = [GENERATION_JOB.resultTtlMs, ...beginnings, redisKeys.followers('')];
  for (const { requestId, keyId, start, text, reasoning } of answers)
    args.push(requestId, keyId, start, text.bytes, text.text, reasoning.bytes, reasoning.text);
  const replies = (await savePartialsScript(redis, [redisKeys.request(answers[0]?.requestId ?? '')], args)) as [
    SavedPartial['kind'],
    number,
    number,
    ...string[],
  ][];
  return replies.map(([kind, textBytes, reasoningBytes, ...followers]) =>
    kind === 'saved' ? { kind, textBytes, reasoningBytes, followers } : { kind },
  );
}
