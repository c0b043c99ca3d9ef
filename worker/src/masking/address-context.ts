import { CODE, DASH, DOT, isIn, WORD } from './characters.ts';
import { ADDRESS_WORDS, VERSION_WORDS } from './lexicon/addresses.ts';
import type { TextWindow } from './text-window.ts';

/** How far back a word may stand that says what a dotted number is. */
const REACH = 64;

export type AddressContext = 'version' | 'address' | 'none';

/** Reads the words before a dotted number, nearest first, within the line and sentence, and says what they make of it. */
export function contextBefore(window: TextWindow, start: number): AddressContext {
  const stop = Math.max(window.floor, start - REACH);
  let end = start;
  for (let seen = 0; seen < 6; ) {
    while (end > stop && !isWordPart(window.code(end - 1))) {
      if (window.code(end - 1) === CODE.newline) return 'none';
      end--;
    }
    let begin = end;
    while (begin > stop && isWordPart(window.code(begin - 1))) begin--;
    // A word cut off by the reach is no word.
    if (begin === end || (begin === stop && stop === start - REACH)) return 'none';
    const context = contextOf(window.slice(begin, end).toLowerCase());
    if (context !== undefined) return context;
    end = begin;
    seen++;
  }
  return 'none';
}

function isWordPart(code: number): boolean {
  return isIn(code, WORD | DOT | DASH) || code === CODE.sectionSign;
}

function contextOf(word: string): AddressContext | undefined {
  if (word.startsWith('§')) return 'version';
  const bare = word.replace(/^[._-]{1,8}|[._-]{1,8}$/g, '');
  const last = bare.slice(Math.max(bare.lastIndexOf('_'), bare.lastIndexOf('-'), bare.lastIndexOf('.')) + 1);
  if (VERSION_WORDS.has(bare) || VERSION_WORDS.has(last) || bare.endsWith('version')) return 'version';
  if (ADDRESS_WORDS.has(bare) || ADDRESS_WORDS.has(last)) return 'address';
  return /[a-z]\.$/.test(word) ? 'none' : undefined;
}
