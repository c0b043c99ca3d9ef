/** Bytes of one-byte characters that give JSON its form. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const TEXT = 1;
const MARKS = 2;
const OPENS = 3;
const CLOSES = 4;
/** What each byte outside of a text means; most mean nothing. */
const WEIGHTS = new Uint8Array(256);
WEIGHTS[QUOTE] = TEXT;
for (const mark of ',:') WEIGHTS[mark.charCodeAt(0)] = MARKS;
for (const mark of '[{') WEIGHTS[mark.charCodeAt(0)] = OPENS;
for (const mark of ']}') WEIGHTS[mark.charCodeAt(0)] = CLOSES;

const AT_HAND = 64;

/** A conversation is nested less than ten deep, and a schema within it at most a hundred. */
const MOST_DEPTH = 200;
/** Values, names and lists: parsing so many takes some tens of milliseconds, and of a body of 4 MB it could be seconds. */
const MOST_MARKS = 200_000;
/** Parsing no more than this takes a few milliseconds whatever it is, bytes. */
const NEED_NO_LOOK = 64 * 1024;

/**
 * Whether a body is JSON that takes long to parse, by its form alone: nothing is parsed, and what is no JSON at all may pass.
 * Texts are skipped at the speed of a search; what remains is short, or soon too much.
 *
 * @returns what there is too much of, in words
 */
export function costlyJson(bytes: Buffer): string | undefined {
  if (bytes.length <= NEED_NO_LOOK) return undefined;
  let depth = 0;
  let marks = 0;
  for (let at = 0; at < bytes.length; at++) {
    const weight = WEIGHTS[bytes[at] ?? 0] ?? 0;
    if (weight === 0) continue;
    if (weight === TEXT) {
      at = endOfText(bytes, at);
      continue;
    }
    if (weight !== CLOSES) marks++;
    if (weight !== MARKS) depth += weight === OPENS ? 1 : -1;
    if (depth > MOST_DEPTH) return `is nested more than ${MOST_DEPTH} levels deep`;
    if (marks > MOST_MARKS) return `has more than ${MOST_MARKS} values and names`;
  }
  return undefined;
}

/**
 * Where the quotation mark is that ends the text which begins at `start`; the end of the bytes where none does. The
 * bytes at hand are looked at one by one, because a search costs as much as many of them.
 */
function endOfText(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (;;) {
    const near = Math.min(at + AT_HAND, bytes.length);
    while (at < near) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      // What follows it is part of the text, whatever it is.
      at += byte === BACKSLASH ? 2 : 1;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return bytes.length;
    let before = quote - 1;
    while (before >= at && bytes[before] === BACKSLASH) before--;
    if ((quote - before) % 2 === 1) return quote;
    at = quote + 1;
  }
}
