import { CODE, DASH, DOT, isIn, QUOTE, WORD } from './characters.ts';
import { ADDRESS_WORDS, VERSION_WORDS } from './lexicon/addresses.ts';
import type { TextWindow } from './text-window.ts';

/** How far back a word may stand that says what a dotted number is. */
const REACH = 64;

export interface AddressContext {
  readonly context: 'version' | 'address' | 'none';
  /** How many words stand between; numbers and small words that join count for none. */
  readonly distance: number;
}

const NO_CONTEXT: AddressContext = { context: 'none', distance: 0 };
/** The most words that are read. */
const MOST_WORDS = 6;

/** Reads the words before a dotted number, nearest first, within the line and sentence, and says what they make of it. */
export function contextBefore(window: TextWindow, start: number): AddressContext {
  const stop = Math.max(window.floor, start - REACH);
  let end = start;
  for (let distance = 0; distance < MOST_WORDS; ) {
    while (end > stop && !isWordPart(window.code(end - 1))) {
      if (window.code(end - 1) === CODE.newline) return NO_CONTEXT;
      end--;
    }
    let begin = end;
    while (begin > stop && isWordPart(window.code(begin - 1))) begin--;
    // A word cut off by the reach is no word.
    if (begin === end || (begin === stop && stop === start - REACH)) return NO_CONTEXT;
    const word = window.slice(begin, end).toLowerCase();
    const context = isIn(window.code(end), QUOTE) && ENGINE.test(word) ? 'version' : contextOf(word);
    if (context !== undefined) return { context, distance };
    end = begin;
    if (!JOINS.test(word)) distance += PLACES.test(word) ? 2 : 1;
  }
  return NO_CONTEXT;
}

/** `"v8": "10.2.154.26"`: the name of an engine; `v4` and `v6` are those of protocols. */
const ENGINE = /^v(?![46]$)\d{1,2}$/;
/** Numbers, and words between a version word and its number. */
const JOINS = /^(?:v?[\d.]+|is|are|was|adalah|to|ke|of|and|dan|or|atau|number|no)$/;
/** `version 1 on …`: what stands there is a place. */
const PLACES = /^(?:on|at|via|pada|di)$/;

function isWordPart(code: number): boolean {
  return isIn(code, WORD | DOT | DASH) || code === CODE.sectionSign;
}

function contextOf(word: string): AddressContext['context'] | undefined {
  if (word.startsWith('§')) return 'version';
  const bare = word.replace(/^[._-]{1,8}|[._-]{1,8}$/g, '');
  const last = bare.slice(Math.max(bare.lastIndexOf('_'), bare.lastIndexOf('-'), bare.lastIndexOf('.')) + 1);
  if (VERSION_WORDS.has(bare) || VERSION_WORDS.has(last) || bare.endsWith('version')) return 'version';
  if (ADDRESS_WORDS.has(bare) || ADDRESS_WORDS.has(last)) return 'address';
  return /[a-z]\.$/.test(word) ? 'none' : undefined;
}
