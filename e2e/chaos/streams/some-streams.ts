import type { FakeBehaviour } from '@lontar/shared/testing/fake-behaviour.ts';
import type { LedgerEntry } from '../ledger.ts';
import type { ApiKey, System } from '../system.ts';
import { cutsOf } from './cut-streams.ts';
import { sendStream } from './stream-caller.ts';
import { createStreamTexts } from './stream-texts.ts';

/** Of the requests of a load, those that are streamed; of their clients, those who leave and come back for the rest. */
const STREAMED = 0.3;
const LEAVING = 0.4;
/** How long an answer takes from its first piece to its last, ms. */
const LASTS_MS = 600;

/** Options of the key that streams are asked by, the system's second one: the work goes on while its client is away. */
export const KEY_OF_STREAMS = ['--on-disconnect', 'finish'] as const;

/** A share of a load is streamed: for loads of which each request is as any other. */
export interface SomeStreams {
  /** Sends a request: streamed, or, for most, by `otherwise`. Never rejects, unless that does. */
  send(otherwise: () => Promise<LedgerEntry>): Promise<LedgerEntry>;
  /** The answer to a request of either kind. */
  answer(nonce: string, delayMs: number): FakeBehaviour;
  /**
   * What is wrong with streams whatever happened meanwhile, and how often. Their texts are judged where the upstream has
   * said nothing else than `answer`.
   */
  faultsOf(entries: readonly LedgerEntry[]): Readonly<Record<string, number>>;
}

/** @param random in [0, 1) */
export function createSomeStreams(system: System, random: () => number): SomeStreams {
  const texts = createStreamTexts(system.answerSecret);
  const key = system.keys[1] as ApiKey;
  const answers = new Map<string, number>();
  return {
    send(otherwise) {
      if (random() >= STREAMED) return otherwise();
      return sendStream(system, texts, { key, random, cuts: random() < LEAVING ? cutsOf(random) : [] });
    },
    answer(nonce, delayMs) {
      answers.set(nonce, (answers.get(nonce) ?? 0) + 1);
      const text = texts.answerTo(nonce);
      if (system.ledger.entries.get(nonce)?.stream === undefined) return { kind: 'answer', text, delayMs };
      const pieceLength = 12;
      return { kind: 'answer', text, delayMs, pieceLength, paceMs: (LASTS_MS * pieceLength) / text.length };
    },
    faultsOf: (entries) =>
      faultsOf(entries, ({ nonce }) => (system.ledger.calls.get(nonce)?.length ?? 0) === (answers.get(nonce) ?? 0)),
  };
}

function faultsOf(entries: readonly LedgerEntry[], isOurs: (entry: LedgerEntry) => boolean) {
  const streams = entries.filter(({ stream }) => stream !== undefined);
  const sum = (of: 'silentEnds' | 'wrongIds' | 'leaks') =>
    streams.reduce((total, { stream }) => total + (stream?.[of] ?? 0), 0);
  const others = streams.filter((entry) => isOurs(entry) && entry.ownAnswer !== true);
  return {
    'texts that are not the answer in one piece, or its beginning': others.length,
    'silent ends of streams': sum('silentEnds'),
    'events whose id is not where their text ends': sum('wrongIds'),
    'connections with a fragment of a secret': sum('leaks'),
  };
}

/** How many requests were streamed, and came back for the rest. */
export function countStreams(entries: readonly LedgerEntry[]): Readonly<Record<string, number>> {
  const streams = entries.flatMap(({ stream }) => stream ?? []);
  return {
    'of them streamed': streams.length,
    'cuts after which clients came back': streams.reduce((sum, { resumes }) => sum + resumes, 0),
  };
}
