import type { Page } from 'playwright-core';
import type { Sent } from './live-words.ts';

/** What the server says to one request; `never`: it keeps the page waiting, `away`: there is no connection. */
export type Reply = { readonly status?: number; readonly json: object } | 'never' | 'away';

/** A request of the page, and how many of its path came before. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly nth: number;
}

/** A state of a page, and how it is brought about. Nothing of it depends on a language. */
export interface State {
  readonly name: string;
  /** From the `/` on. */
  readonly path: string;
  readonly sent?: Sent;
  readonly isSignedOut?: boolean;
  readonly isOffline?: boolean;
  /** Looks like the same state of another page: left out where not every look is wanted. */
  readonly isAlike?: boolean;
  /** How long the page then waits, by its own clock, ms. */
  readonly waitsMs?: number;
  /** What the server says; `undefined` for what it says by itself. */
  readonly reply?: (asked: Asked) => Reply | undefined;
  /** What the reader does. */
  readonly reach?: (page: Page) => Promise<void>;
  /** Shows that the state is there. */
  readonly shows: string;
}

export const ok = (result: unknown): Reply => ({ json: { status: true, code: 200, message: 'Sukses', result } });
export const refused = (status: number, reason: string, more: object = {}): Reply => ({
  status,
  json: { status: false, code: status, error: 'x', message: 'The server says why, in a sentence.', reason, ...more },
});
