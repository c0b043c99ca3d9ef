import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ask } from './ask.ts';
import { type Pages, type ReadPage, readPages, type Stretch } from './read-pages.ts';
import { type Asked, createReading, type Read } from './reading.ts';

/** What a page has read, and how it reads again. */
export interface Again {
  /** From the beginning. */
  readonly again: () => void;
  /** What comes behind that which is shown. */
  readonly more: () => void;
}

/**
 * Reads what a page shows, anew whenever its name changes.
 *
 * @param name says all that decides what is read
 */
export function useReading<Body>(name: string, read: Read<Body>): Asked<Body> & Again {
  const reading = useMemo(() => createReading<Body>(), []);
  const giveUp = useRef<(() => void) | undefined>(undefined);
  const begin = (goesOn: boolean) => {
    giveUp.current?.();
    giveUp.current = reading.begin(name, read, goesOn);
  };
  useEffect(() => {
    begin(false);
    return () => giveUp.current?.();
  }, [name]);
  return { ...reading.asked.value, again: () => begin(false), more: () => begin(true) };
}

/**
 * Asks the admin API for what a page shows, anew whenever the path changes.
 *
 * @param path as of `ask`
 */
export function useAsked<Body>(path: string): Asked<Body> & Again {
  return useReading<Body>(path, (_goOn, signal) => ask<Body>('GET', path, { signal }));
}

/**
 * Reads a list that comes in pages, anew whenever its name changes.
 *
 * @param name says all that decides what is read
 */
export function usePages<Row>(
  name: string,
  stretch: Stretch,
  readPage: (signal: AbortSignal) => ReadPage<Row>,
): Asked<Pages<Row>> & Again {
  return useReading(name, (goOn, signal) => readPages(goOn, stretch, readPage(signal)));
}
