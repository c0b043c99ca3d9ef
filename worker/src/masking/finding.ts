import type { TextWindow } from './text-window.ts';

export type MaskType = 'url' | 'key' | 'ip' | 'connection';

export const MARKERS: Readonly<Record<MaskType, string>> = {
  url: '***API_SERVER***',
  key: '***API_KEY***',
  ip: '***IP_ADDRESS***',
  connection: '***DB_CONNECTION***',
};

/** What a span is reported as. Every rule is one. */
export interface Label {
  readonly name: string;
  /** `marker` is one of our own markers, met again: it is stepped over and left as it is. */
  readonly type: MaskType | 'marker';
  /** The vendor's page, the standard, the manual or the setting that it comes from. */
  readonly source: string;
}

/** What a verifier found, in positions of the text it was shown. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  /** The alphabet of a run that was longer than LONGEST_RUN: its rest is swallowed without being judged again. */
  readonly open?: number;
  /** The rule it is reported as, where several rules share a verifier; else the rule whose anchor was met. */
  readonly rule?: Label;
  /** What was found on the same way further on; each begins after the anchor too. */
  readonly also?: readonly Finding[];
}

/**
 * Decides whether the anchor at [start, end) belongs to something secret; `anchor` is its text as the rule has it. Must
 * read to the right only through the window, look at most LEFT_CONTEXT to the left, and begin a finding at most
 * LEFT_REACH left of the anchor.
 */
export type Verify = (window: TextWindow, start: number, end: number, anchor: string) => Finding | undefined;

/** Stands for any digit in an anchor's text. */
export const ANY_DIGIT = '\u0001';

/** A literal the scan looks for (lower case, matched in any ASCII case) and the verifier it wakes. */
export interface Anchor {
  readonly text: string;
  readonly verify: Verify;
  readonly rule: Label;
  /** A configured secret: wins over every other finding it overlaps. */
  readonly known?: boolean;
  /** Means something only inside a table with a column of secrets: elsewhere its verifier is not called. */
  readonly insideTable?: boolean;
  /** Means something only not far behind the name of a secret: elsewhere the scan does not stop at it. */
  readonly nearName?: boolean;
  /** Means something only where a word begins, see `mayBeginWord`: the scan does not stop at it inside one. */
  readonly beginsWord?: boolean;
}
