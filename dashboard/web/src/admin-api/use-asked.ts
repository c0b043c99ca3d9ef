import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask, type Refused } from './ask.ts';

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
 * Asks the admin API for what a page shows, anew whenever the path changes.
 *
 * @param path as of `ask`; nothing is asked where it is undefined
 */
export function useAsked<Body>(path: string | undefined): Asked<Body> & { readonly again: () => void } {
  const asked = useSignal<Asked<Body>>({ isLoading: path !== undefined });
  const turn = useSignal(0);
  useEffect(() => {
    if (path === undefined) return undefined;
    const leaving = new AbortController();
    asked.value = { ...asked.value, isLoading: true };
    ask<Body>('GET', path, { signal: leaving.signal }).then(
      (answer) => {
        if (leaving.signal.aborted) return;
        if (answer.ok) {
          const { body, etag } = answer;
          asked.value = { body, at: Date.now(), isLoading: false, ...(etag === undefined ? {} : { etag }) };
        } else asked.value = { ...asked.value, refused: answer, isLoading: false };
      },
      // Only where the page has moved on.
      () => undefined,
    );
    return () => leaving.abort();
  }, [path, turn.value]);
  return {
    ...asked.value,
    again: () => {
      turn.value += 1;
    },
  };
}
