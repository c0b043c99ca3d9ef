import type { TextWindow } from './text-window.ts';

export type MaskType = 'url' | 'key' | 'ip' | 'connection';

export const MARKERS: Readonly<Record<MaskType, string>> = {
  url: '***API_SERVER***',
  key: '***API_KEY***',
  ip: '***IP_ADDRESS***',
  connection: '***DB_CONNECTION***',
};

/** The rule of configured secrets, hosts and addresses. */
export const CONFIGURED_VALUE = 'configured-value';

/** What a verifier found, in positions of the text it was shown. */
export interface Finding {
  /** `marker` is one of our own markers, met again: it is stepped over and left as it is. */
  readonly type: MaskType | 'marker';
  readonly rule: string;
  readonly start: number;
  readonly end: number;
  /** The alphabet of a run that was longer than LONGEST_RUN: its rest is swallowed without being judged again. */
  readonly open?: number;
}

/**
 * Decides whether the anchor at [start, end) belongs to something secret. Must read to the right only through the
 * window, look at most LEFT_CONTEXT to the left, and begin a finding at most LEFT_REACH left of the anchor.
 */
export type Verify = (window: TextWindow, start: number, end: number) => Finding | undefined;

/** Stands for any digit in an anchor's text. */
export const ANY_DIGIT = '\u0001';

/** A literal the scan looks for (lower case, matched in any ASCII case) and the verifier it wakes. */
export interface Anchor {
  readonly text: string;
  readonly verify: Verify;
  /** A configured secret: wins over every other finding it overlaps. */
  readonly known?: boolean;
  /** Means something only inside a table with a column of secrets: elsewhere it is not asked. */
  readonly insideTable?: boolean;
}
