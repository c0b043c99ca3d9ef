import type { GenerationFailure } from '@lontar/shared/errors.ts';

/** How a request ended, as its client saw it. */
export type ClientEnd =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly requestId: string;
      readonly retryAfter: string | undefined;
      /** Of an error: the whole body, or the event that ended a stream. */
      readonly text: string;
      /** Whether it came after the head of a stream, which can say no more. */
      readonly inBand?: boolean;
    }
  /** The connection broke before the answer. */
  | { readonly kind: 'broken' }
  /** The client closed the connection itself. */
  | { readonly kind: 'left' };

/** One request of one client. */
export interface LedgerEntry {
  /** In the prompt, and in the answer of the upstream. */
  readonly nonce: string;
  readonly keyId: string;
  /** Unix ms, of this process; as all times here. */
  readonly sentAt: number;
  endedAt?: number;
  end?: ClientEnd;
  /** Of a success: whether its text was this request's own. */
  ownAnswer?: boolean;
  /** Of a request that streams. */
  stream?: StreamSeen;
}

/** What a client saw of a stream, over all connections that it read it by. */
export interface StreamSeen {
  /** The text so far, put together. */
  text: string;
  reasoning: string;
  /** By their numbers in the answer. */
  calls: { name: string; arguments: string }[];
  /** How often the client came back for the rest. */
  resumes: number;
  /** The longest of the connections by which it came back, from asking to their end, ms. */
  longestBackMs: number;
  /** Connections that ended whole without a reason of the end, or broke though their gateway lived. */
  silentEnds: number;
  /** Events whose id names another place than the one that their text ends at. */
  wrongIds: number;
  /** Connections with a fragment of a secret in their bytes. */
  leaks: number;
  /** How each connection ended: when, how, and of which gateway. */
  readonly trail: string[];
}

/** What Redis says became of one request. */
export interface Settled {
  readonly requestId: string;
  /** Missing where the settlement does not say whose it was. */
  readonly keyId: string | undefined;
  /** Missing where the outcome has no text. */
  readonly nonce: string | undefined;
  readonly charged: boolean;
  /** Missing where the request was answered. */
  readonly error: GenerationFailure | undefined;
  /** Whether its caller had left while it was in work: who does that pays for what may have cost money. */
  readonly hasLeft?: boolean;
}

/** What clients sent and got, which calls the upstream got, and what Redis said became of it. */
export interface Ledger {
  readonly entries: ReadonlyMap<string, LedgerEntry>;
  /** When the upstream was called, by nonce. */
  readonly calls: ReadonlyMap<string, readonly number[]>;
  /** By request id. */
  readonly settled: ReadonlyMap<string, Settled>;
  open(keyId: string): LedgerEntry;
  called(nonce: string, at: number): void;
  note(settled: Settled): void;
  /** Generation requests that others have sent beside these, whose answers were counted elsewhere, and their keys. */
  readonly strangers: { answered: number; unseen: number; readonly keyIds: string[] };
}

export const NONCE = /nonce-[0-9a-z]+-[0-9a-z]+/;

/** @param run distinguishes the nonces of this ledger from those of others */
export function createLedger(run: string): Ledger {
  const entries = new Map<string, LedgerEntry>();
  const calls = new Map<string, number[]>();
  const settled = new Map<string, Settled>();
  return {
    entries,
    calls,
    settled,
    strangers: { answered: 0, unseen: 0, keyIds: [] },
    open(keyId) {
      const entry: LedgerEntry = { nonce: `nonce-${run}-${entries.size.toString(36)}`, keyId, sentAt: Date.now() };
      entries.set(entry.nonce, entry);
      return entry;
    },
    called(nonce, at) {
      const times = calls.get(nonce);
      if (times) times.push(at);
      else calls.set(nonce, [at]);
    },
    note: (record) => void settled.set(record.requestId, record),
  };
}

/** Status of an entry's answer; 0 where it got none. */
export function statusOf({ end }: LedgerEntry): number {
  return end?.kind === 'answered' ? end.status : 0;
}

/** From sending to the end, ms. */
export function tookMs({ sentAt, endedAt }: LedgerEntry): number {
  return (endedAt ?? Number.POSITIVE_INFINITY) - sentAt;
}
