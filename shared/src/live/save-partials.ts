import { GENERATION_JOB } from '../generation-job.ts';
import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { loadScript } from '../redis-script.ts';
import { writeDigits } from './numbered-frames.ts';

const savePartialsScript = loadScript(new URL('./save-partials.lua', import.meta.url));

/** What is new of one track. */
export interface Growth {
  /** Bytes (UTF-8) that Redis has already, as far as is known; 0 writes the track anew. */
  readonly bytes: number;
  /** What follows them; all of the track where `bytes` is 0. */
  readonly text: string;
}

/** An answer that is written by its text. */
export interface PartialAnswer {
  readonly requestId: string;
  readonly keyId: string;
  /** Number of the job's start. */
  readonly start: number;
  /** Number of its stream; 0 for none. */
  readonly number: number;
  readonly text: Growth;
  readonly reasoning: Growth;
}

/** A numbered stream whose pieces Redis has in the journal of its worker. */
export interface NumberedGrowth {
  readonly number: number;
  /** Of all that was sent so far, UTF-8. */
  readonly textBytes: number;
  readonly reasoningBytes: number;
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

export type SavedNumbered =
  | { readonly kind: 'saved'; readonly followers: readonly string[] }
  /** What is kept is not what it should be: it has to be written by its text. */
  | { readonly kind: 'lost' };

/** What is new of a worker's streams. */
export interface Growths {
  readonly worker: string;
  /** All that have pieces in the journal: what it has of others is dropped. */
  readonly numbered: readonly NumberedGrowth[];
  /** Numbers of streams that have ended. */
  readonly gone: readonly number[];
  readonly answers: readonly PartialAnswer[];
}

export interface SavedPartials {
  /** One for each, in their order. */
  readonly numbered: readonly SavedNumbered[];
  readonly answers: readonly SavedPartial[];
}

/**
 * Keeps what is masked so far of streamed answers. See save-partials.lua for the contract. Safe to repeat.
 *
 * @throws when Redis fails; what was kept is then unknown: answers may be written again, and numbered streams have to be
 *   written by their text
 */
export async function savePartials(redis: Redis, { worker, numbered, gone, answers }: Growths): Promise<SavedPartials> {
  const beginnings = [redisKeys.request(''), redisKeys.keyFlight(''), redisKeys.partial('', '').slice(0, -1)];
  const args: (string | number)[] = [GENERATION_JOB.resultTtlMs, ...beginnings, redisKeys.followers('')];
  const inOrder = numbered.toSorted((a, b) => a.number - b.number);
  args.push(writeExpected(inOrder), gone.join(' '));
  for (const { requestId, keyId, start, number, text, reasoning } of answers)
    args.push(requestId, keyId, start, number, text.bytes, text.text, reasoning.bytes, reasoning.text);
  const keys = [redisKeys.streamJournal(worker), redisKeys.streamNumbers(worker)];
  const [saved, written] = (await savePartialsScript(redis, keys, args)) as [
    [SavedNumbered['kind'], ...string[]][],
    [SavedPartial['kind'], number, number, ...string[]][],
  ];
  const byNumber = new Map(
    inOrder.map(({ number }, index): [number, SavedNumbered] => {
      const [kind = 'lost', ...followers] = saved[index] ?? [];
      return [number, kind === 'saved' ? { kind, followers } : { kind }];
    }),
  );
  return {
    numbered: numbered.map(({ number }) => byNumber.get(number) ?? { kind: 'lost' }),
    answers: written.map(([kind, textBytes, reasoningBytes, ...followers]) =>
      kind === 'saved' ? { kind, textBytes, reasoningBytes, followers } : { kind },
    ),
  };
}

function writeExpected(inOrder: readonly NumberedGrowth[]): string {
  let all = '';
  let before = 0;
  for (const { number, textBytes, reasoningBytes } of inOrder) {
    all += writeDigits(number - before) + writeDigits(textBytes) + writeDigits(reasoningBytes);
    before = number;
  }
  return all;
}
