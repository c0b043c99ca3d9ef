/** A pattern that may stay although its time grows faster than its text, because the text is short. */
export interface AcceptedPattern {
  readonly file: string;
  /** As it stands between the slashes. */
  readonly pattern: string;
  /** The longest text it is ever applied to, in characters. */
  readonly bound: number;
  /** What holds the bound, and why the pattern is not rewritten. */
  readonly reason: string;
}

/** A pattern that is built while running. */
export interface AcceptedBuild {
  readonly file: string;
  /** The expression that builds it, white space folded to single blanks. */
  readonly expression: string;
  /** What it builds, for the judge. */
  readonly builds: { readonly pattern: string; readonly flags: string };
  readonly reason: string;
}

/** No text is long enough for a polynomial to matter below this; no exponential pattern is ever accepted. */
export const LONGEST_BOUND = 512;

/** None at present: each was rewritten. */
export const ACCEPTED_PATTERNS: readonly AcceptedPattern[] = [];

export const ACCEPTED_BUILDS: readonly AcceptedBuild[] = [
  {
    file: 'gateway/src/uploads/content-type.ts',
    expression: 'new RegExp(`^${TOKEN}/${TOKEN}$`)',
    builds: { pattern: '^[0-9a-z!#$&^_.+-]{1,100}/[0-9a-z!#$&^_.+-]{1,100}$', flags: '' },
    reason: 'One name for both halves of a media type.',
  },
  {
    file: 'dashboard/web/src/clipboard/clean-text.ts',
    expression:
      "new RegExp( [ String.raw`(?:${ESCAPE}\\[|${CONTROL_SEQUENCE})[0-?]*[ -/]*[@-~]`, String.raw`${ESCAPE}\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?`, String.raw`${ESCAPE}[@-Z\\\\^_]`, ].join('|'), 'g', )",
    builds: {
      pattern: String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\^_]`,
      flags: 'g',
    },
    reason: 'Control characters have names there instead of standing in the pattern.',
  },
  {
    file: 'worker/src/masking/lexicon/names-elsewhere.ts',
    expression: "new RegExp(HEADINGS.join('|'))",
    builds: { pattern: "mot de passe|wlan-code|parola d'ordine|密码", flags: '' },
    reason: 'Words of lists, one beside the other, without any repetition; four of them are judged.',
  },
  {
    file: 'cli/src/backup/durable-keys.ts',
    expression: "new RegExp(`^${texts.map((text, index) => `${text}${stars[index] ?? ''}`).join('')}$`)",
    builds: {
      pattern: String.raw`^\{lontar\}:stats:(?:users|ips)-sketch:(?:all|[0-9]{4}-[0-9]{2}-[0-9]{2})$`,
      flags: '',
    },
    reason: 'Built from names of our own Redis keys, at start; the one with the most holes is judged.',
  },
];
