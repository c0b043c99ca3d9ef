import type { Label, MaskType, Verify } from '../finding.ts';

/** Draws so many characters of an alphabet: token-shaped examples are made, so that none stands in a file. */
export type Draw = (length: number, alphabet: string) => string;

/**
 * One rule of masking, whole: what wakes it, how it decides, where it comes from, and what it must do. The index of
 * anchors, the page of rules and the tests are made from these records; nothing else knows of a rule.
 */
export interface Rule extends Label {
  /** Unique. Spans, `lontar mask --explain` and the page of rules call the rule by it. */
  readonly name: string;
  readonly type: MaskType;
  /** Literals that wake the verifier, in lower case; ANY_DIGIT stands for a digit. */
  readonly anchors: readonly string[];
  /** Anchors that mean something only inside a table with a column of secrets. */
  readonly tableAnchors?: readonly string[];
  /** Anchors that mean something only not far behind the name of a secret: common words. */
  readonly nearAnchors?: readonly string[];
  /** Anchors that begin with a letter mean something only where a word begins: most of these letters stand inside of words. */
  readonly beginsWord?: true;
  /** What a token begins with, in exactly this case. Of the rules whose prefix it begins with, the longest names it. */
  readonly prefix?: string;
  /** Rules that answer one question with several names share a verifier, which is called once and names the rule. */
  readonly verify: Verify;
  /** Texts in which this rule must mask something. */
  readonly masks: readonly (string | ((draw: Draw) => string))[];
  /** Look-alikes that must stay as they are. */
  readonly keeps: readonly string[];
  /** What is masked, in words, where an example would be a token. */
  readonly inWords?: string;
}

/** Rules that know about the same thing: a section of the page of rules. */
export interface RuleFamily {
  readonly title: string;
  readonly rules: readonly Rule[];
}

export const LOWER_DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';
export const LETTERS_DIGITS = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${LOWER_DIGITS}`;
export const HEX_DIGITS = '0123456789abcdef';

/** A login in a URL, put together here, so that none stands in a file whole. */
export const login = (user: string): string => `${user}:${['kopi', 'susu', '7'].join('')}@`;
/** A value that only a generator would make. */
export const drawn = ['q7Xv', 'T2mN', '9bKc', 'R4pZ', 'w8Yd'].join('');
/** A password that a person would choose. */
export const chosen = ['Kopi', 'Susu', '77'].join('');
