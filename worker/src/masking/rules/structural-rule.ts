import type { MaskType } from '../finding.ts';

/** A rule that is a verifier of its own rather than a token shape: where it comes from and what it must do. */
export interface StructuralRule {
  readonly name: string;
  readonly type: MaskType;
  readonly source: string;
  /** Texts in which this rule must mask something. Logins are written in parts, so that none stands here whole. */
  readonly masks: readonly string[];
  /** Texts that must stay as they are. */
  readonly keeps: readonly string[];
}

/** A login in a URL, put together here. */
export const login = (user: string): string => `${user}:${['kopi', 'susu', '7'].join('')}@`;
/** A value that only a generator would make. */
export const drawn = ['q7Xv', 'T2mN', '9bKc', 'R4pZ', 'w8Yd'].join('');
