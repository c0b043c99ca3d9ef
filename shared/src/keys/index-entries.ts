/**
 * The entries of one key in the set of texts (`redisKeys.apiKeyTexts`), which Redis keeps in the order of their bytes. An
 * entry is a letter, a text, NUL, and the key's id:
 *
 * - `n` the name, for lists by name and searches
 * - `w` a later word of the name and what follows it, for searches alone
 * - `o` the owner, NUL, and when the key was made, for lists of an owner's keys and searches
 *
 * All texts are folded, so owners that differ in their case alone stand side by side: who lists one looks at the record.
 */

/** Longest text that is sorted and searched by, characters; a name may be longer. */
const MOST_CHARACTERS = 32;
/** Of an owner all, but where folding makes more of it. */
const MOST_OWNER_CHARACTERS = 100;
/** Words of a name, after the first one, that it is found by. */
const MOST_WORDS = 2;
const WORD_START = /(?<=[\s._\-/@:])[^\s._\-/@:]/g;
const NUL = '\0';
const CREATED_DIGITS = 9;

export interface Indexed {
  readonly id: string;
  readonly name: string;
  readonly owner?: string | undefined;
  /** Unix ms. */
  readonly createdAt: number;
}

/** Every entry of a key, in one order; the same key gives the same entries. */
export function entriesOf({ id, name, owner, createdAt }: Indexed): string[] {
  const folded = fold(name);
  const later = [...folded.matchAll(WORD_START)].slice(0, MOST_WORDS).map(({ index }) => folded.slice(index));
  return [
    `n${cut(folded)}${NUL}${id}`,
    ...[...new Set(later)].map((word) => `w${cut(word)}${NUL}${id}`),
    ...(owner === undefined ? [] : [`${ownerPrefix(owner)}${createdDigits(createdAt)}${NUL}${id}`]),
  ];
}

/** How the entries begin that a search finds. */
export function searchPrefixes(search: string): readonly string[] {
  const text = cut(fold(search).trimStart());
  return [`n${text}`, `w${text}`, `o${text}`];
}

/** How the entries of an owner's keys begin. */
export function ownerPrefix(owner: string): string {
  return `o${fold(owner).slice(0, MOST_OWNER_CHARACTERS).toWellFormed()}${NUL}`;
}

/** The key that an entry is of. */
export function idOfEntry(entry: string): string {
  return entry.slice(entry.lastIndexOf(NUL) + 1);
}

/** Letters in one case and one form, so that a search finds them however they are typed. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(NUL, ' ');
}

function cut(text: string): string {
  // Not within a character of two units, which Redis could not be given.
  return text.slice(0, MOST_CHARACTERS).toWellFormed();
}

/** Nine digits last until the year 5188. */
function createdDigits(createdAt: number): string {
  return createdAt.toString(36).padStart(CREATED_DIGITS, '0');
}
