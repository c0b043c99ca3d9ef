import { type Signal, signal } from '@preact/signals';
import type { Answer, Refused } from './answer.ts';

/** What is known of an answer: the newest that came stays, while another is asked for and when that fails. */
export interface Asked<Body> {
  readonly body?: Body;
  readonly etag?: string;
  /** When it came, Unix ms. */
  readonly at?: number;
  /** Why there is no newer one. */
  readonly refused?: Refused;
  readonly isLoading: boolean;
}

/**
 * Reads something of the server.
 *
 * @param goOn what was read before, where that is to be gone on with
 * @returns rejects when the signal aborts, and for nothing else
 */
export type Read<Body> = (goOn: Body | undefined, signal: AbortSignal) => Promise<Answer<Body>>;

export interface Reading<Body> {
  readonly asked: Signal<Asked<Body>>;
  /**
   * Begins to read.
   *
   * @param name what is read: a filter, a path. What is shown is gone on with only where it is of the same name; after a refusal
   *   it is still that of the name before.
   * @returns gives up what was begun
   */
  begin(name: string, read: Read<Body>, goesOn: boolean): () => void;
}

/** What a page shows of one thing after the other, each in one part or several. */
export function createReading<Body>(): Reading<Body> {
  const asked = signal<Asked<Body>>({ isLoading: true });
  let shown: string | undefined;
  return {
    asked,
    begin(name, read, goesOn) {
      const leaving = new AbortController();
      const goOn = goesOn && shown === name ? asked.value.body : undefined;
      asked.value = { ...asked.value, isLoading: true };
      read(goOn, leaving.signal).then(
        (answer) => {
          if (leaving.signal.aborted) return;
          if (!answer.ok) {
            asked.value = { ...asked.value, refused: answer, isLoading: false };
            return;
          }
          shown = name;
          const { body, etag } = answer;
          asked.value = { body, at: Date.now(), isLoading: false, ...(etag === undefined ? {} : { etag }) };
        },
        // Only where the page has moved on.
        () => undefined,
      );
      return () => leaving.abort();
    },
  };
}
