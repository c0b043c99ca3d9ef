import { ALNUM, BASE64, BASE64URL, BLANK, DIGIT, DOT, isIn, SPACE, UPPER } from './characters.ts';
import type { Verify } from './finding.ts';
import type { TextWindow } from './text-window.ts';
import { beginsToken, tokenFinding } from './token-shape.ts';

const LONGEST_BLOCK = 16_384;
const BACKSLASH = 92;
const HYPHEN = 45;

/** Verifies at `-----BEGIN `: a private key in PEM or PGP armour (RFC 7468, RFC 9580), up to its end line or its last line of base64. */
export const verifyPrivateKey: Verify = (window, start, end) => {
  const label = window.run(end, UPPER | DIGIT | BLANK, 40);
  if (!window.text.slice(end, label).includes('PRIVATE KEY') || !window.matches(label, '-----')) return undefined;
  const body = label + 5;
  const stop = endOfBlock(window, body);
  if (stop.base64 < 40) return undefined;
  const open = stop.end - body >= LONGEST_BLOCK;
  return { type: 'key', rule: 'private-key', start, end: stop.end, ...(open ? { open: BASE64 | SPACE } : {}) };
};

/** Walks over lines of base64, armour headers and blank lines, written as lines or as `\n`, and over the end line. */
function endOfBlock(window: TextWindow, from: number): { end: number; base64: number } {
  let index = from;
  let end = from;
  let base64 = 0;
  while (index - from < LONGEST_BLOCK) {
    index = skipBreaks(window, index);
    if (window.at(index) === HYPHEN) {
      if (window.matches(index, '-----end ')) {
        const label = window.run(index + 9, UPPER | DIGIT | BLANK, 40);
        const dashes = window.run(label, 64, 5);
        return { end: dashes, base64 };
      }
      if (isIn(window.at(index + 1), ALNUM)) break;
      break;
    }
    const header = armourHeader(window, index);
    if (header >= 0) {
      index = header;
      continue;
    }
    const stop = window.run(index, BASE64, LONGEST_BLOCK);
    const length = stop - index;
    if (
      length >= 4 &&
      (length >= 16 ||
        isIn(window.at(stop), SPACE) ||
        window.at(stop) === BACKSLASH ||
        window.at(stop) === HYPHEN ||
        window.at(stop) < 0) &&
      window.at(stop) !== 58 &&
      !isProse(window, index, stop)
    ) {
      base64 += length;
      end = stop;
      index = stop;
      continue;
    }
    break;
  }
  return { end, base64 };
}

/** A word followed by another word is prose after a block that was never closed. */
function isProse(window: TextWindow, from: number, stop: number): boolean {
  return (
    stop - from < 16 &&
    window.at(stop) === 32 &&
    isIn(window.at(stop + 1), ALNUM) &&
    /^[A-Za-z]+$/.test(window.text.slice(from, stop))
  );
}

/** Steps over line ends, indentation, escaped line ends, quotes and plus signs of strings broken over lines. */
function skipBreaks(window: TextWindow, from: number): number {
  let index = from;
  for (let steps = 0; steps < 200; steps++) {
    const code = window.at(index);
    if (isIn(code, SPACE) || code === 34 || code === 39 || code === 62 || code === 44) index++;
    else if (code === 43 && isIn(window.at(index + 1), SPACE)) index++;
    else if (code === BACKSLASH) index += isEscapedBreak(window.at(index + 1)) ? 2 : 1;
    else break;
  }
  return index;
}

function isEscapedBreak(code: number): boolean {
  return code === 110 || code === 114 || code === 116 || code === 92;
}

/** `Proc-Type: 4,ENCRYPTED`, `Version: GnuPG v2`: returns the end of the line, or -1. */
function armourHeader(window: TextWindow, from: number): number {
  const name = window.run(from, ALNUM | 64, 24);
  if (name === from || window.at(name) !== 58) return -1;
  for (let index = name; index < name + 100; index++) {
    const code = window.at(index);
    if (code < 32 || (code === BACKSLASH && isEscapedBreak(window.at(index + 1)))) return index;
  }
  return -1;
}

/** Verifies at `Private-Lines: `: the private half of a PuTTY key file, line by line. */
export const verifyPuttyKey: Verify = (window, _start, end) => {
  const body = window.run(end, DIGIT, 4);
  const { end: stop, base64 } = endOfBlock(window, body);
  const start = skipBreaks(window, body);
  return base64 < 40 ? undefined : { type: 'key', rule: 'private-key', start, end: stop };
};

/** Verifies at `eyJ`: the base64url of `{"`, the beginning of a JWT or JWE (RFC 7519, RFC 7516). */
export const verifyJwt: Verify = (window, start, end) => {
  if (!window.text.startsWith('eyJ', start) || !beginsToken(window, start)) return undefined;
  const run = window.run(end, BASE64URL | DOT);
  const stop = window.trim(end, run, '.');
  const [header = '', payload = ''] = window.text.slice(start, Math.min(stop, start + 4096)).split('.');
  if (header.length < 12 || payload.length < 8) return undefined;
  return tokenFinding(window, 'jwt', start, end, run, stop, BASE64URL | DOT);
};

/** Verifies at `ZXlK`: a JWT that was encoded in base64 once more. */
export const verifyEncodedJwt: Verify = (window, start, end) => {
  if (!window.text.startsWith('ZXlK', start) || !beginsToken(window, start)) return undefined;
  const run = window.run(end, BASE64 | BASE64URL);
  return run - start < 60 ? undefined : tokenFinding(window, 'jwt-base64', start, end, run, run, BASE64 | BASE64URL);
};
