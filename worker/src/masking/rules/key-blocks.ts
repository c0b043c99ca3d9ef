import { ALNUM, BASE64, BASE64URL, BLANK, CODE, DASH, DIGIT, DOT, isIn, SPACE, UPPER } from '../characters.ts';
import type { Finding, Verify } from '../finding.ts';
import type { TextWindow } from '../text-window.ts';
import { drawn, type Rule } from './rule.ts';
import { beginsToken } from './token-beginning.ts';
import { tokenFinding } from './token-shape.ts';

const LONGEST_BLOCK = 16_384;
/** Lines of an armour's head: `Proc-Type`, `DEK-Info`, `Version`, `Comment`, `Hash`, and some to spare. */
const MOST_HEADERS = 12;

/** Verifies at `-----BEGIN `: a private key in PEM or PGP armour (RFC 7468, RFC 9580), up to its end line or its last line of base64. */
function verifyArmour(window: TextWindow, start: number, end: number): Finding | undefined {
  const label = window.run(end, UPPER | DIGIT | BLANK, 40);
  const shared = STATIC_KEY.find((name) => window.matches(end, name));
  const behind = shared === undefined ? label : end + shared.length;
  if (shared === undefined && !window.slice(end, label).includes('PRIVATE KEY')) return undefined;
  if (!window.matches(behind, '-----')) return undefined;
  const body = behind + 5;
  const stop = endOfBlock(window, body);
  if (stop.base64 < 40) return undefined;
  const open = stop.end - body >= LONGEST_BLOCK;
  return { start, end: stop.end, ...(open ? { open: BASE64 | SPACE } : {}) };
}

/** OpenVPN's keys that both ends share. */
const STATIC_KEY = ['openvpn static key v1', 'openvpn tls-crypt-v2 client key', 'openvpn tls-crypt-v2 server key'];

/** Walks over lines of base64, armour headers and blank lines, written as lines or as `\n`, and over the end line. */
function endOfBlock(window: TextWindow, from: number): { end: number; base64: number } {
  let index = from;
  let end = from;
  let base64 = 0;
  let headers = 0;
  while (index - from < LONGEST_BLOCK) {
    index = skipBreaks(window, index);
    if (window.at(index) === CODE.hyphen) {
      if (window.matches(index, '-----end ')) {
        const label = window.run(index + 9, UPPER | DIGIT | BLANK, 40);
        const dashes = window.run(label, DASH, 5);
        return { end: dashes, base64 };
      }
      if (isIn(window.at(index + 1), ALNUM)) break;
      break;
    }
    const header = base64 > 0 || headers >= MOST_HEADERS ? -1 : armourHeader(window, index);
    if (header >= 0) {
      headers++;
      index = header;
      continue;
    }
    const stop = window.run(index, BASE64, LONGEST_BLOCK);
    const length = stop - index;
    if (
      length >= 4 &&
      (length >= 16 ||
        isIn(window.at(stop), SPACE) ||
        window.at(stop) === CODE.backslash ||
        window.at(stop) === CODE.hyphen ||
        window.at(stop) < 0) &&
      window.at(stop) !== CODE.colon &&
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
    window.at(stop) === CODE.space &&
    isIn(window.at(stop + 1), ALNUM) &&
    /^[A-Za-z]+$/.test(window.slice(from, stop))
  );
}

/** Steps over line ends, indentation, escaped line ends, quotes and plus signs of strings broken over lines. */
function skipBreaks(window: TextWindow, from: number): number {
  let index = from;
  for (let steps = 0; steps < 200; steps++) {
    const code = window.at(index);
    if (
      isIn(code, SPACE) ||
      code === CODE.doubleQuote ||
      code === CODE.singleQuote ||
      code === CODE.greater ||
      code === CODE.comma
    )
      index++;
    else if (code === CODE.plus && isIn(window.at(index + 1), SPACE)) index++;
    else if (code === CODE.backslash) index += isEscapedBreak(window.at(index + 1)) ? 2 : 1;
    else break;
  }
  return index;
}

function isEscapedBreak(code: number): boolean {
  return code === CODE.n || code === CODE.r || code === CODE.t || code === CODE.backslash;
}

/** `Proc-Type: 4,ENCRYPTED`, `Version: GnuPG v2`: returns the end of the line, or -1. */
function armourHeader(window: TextWindow, from: number): number {
  const name = window.run(from, ALNUM | DASH, 24);
  if (name === from || window.at(name) !== CODE.colon) return -1;
  for (let index = name; index < name + 100; index++) {
    const code = window.at(index);
    if (code < CODE.space || (code === CODE.backslash && isEscapedBreak(window.at(index + 1)))) return index;
  }
  return -1;
}

/** Verifies at `Private-Lines: `: the private half of a PuTTY key file, line by line. */
function verifyPutty(window: TextWindow, end: number): Finding | undefined {
  const body = window.run(end, DIGIT, 4);
  const { end: stop, base64 } = endOfBlock(window, body);
  const start = skipBreaks(window, body);
  return base64 < 40 ? undefined : { start, end: stop };
}

/** Verifies at `eyJ`: the base64url of `{"`, the beginning of a JWT or JWE (RFC 7519, RFC 7516). */
const verifyJwt: Verify = (window, start, end) => {
  if (!window.text.startsWith('eyJ', start) || !beginsToken(window, start)) return undefined;
  const run = window.run(end, BASE64URL | DOT);
  const stop = window.trim(end, run, '.');
  const [header = '', payload = ''] = window.slice(start, Math.min(stop, start + 4096)).split('.');
  if (header.length < 12 || payload.length < 8) return undefined;
  return tokenFinding(window, start, end, run, stop, BASE64URL | DOT);
};

/** Verifies at `ZXlK`: a JWT that was encoded in base64 once more. */
const verifyEncodedJwt: Verify = (window, start, end) => {
  if (!window.text.startsWith('ZXlK', start) || !beginsToken(window, start)) return undefined;
  const run = window.run(end, BASE64 | BASE64URL);
  return run - start < 60 ? undefined : tokenFinding(window, start, end, run, run, BASE64 | BASE64URL);
};

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const jwt = `${encoded({ alg: 'HS256' })}.${encoded({ sub: 'kopi' })}.${drawn}`;
const armour = (end: string) => `-----${end} PRIVATE KEY-----`;

/** Keys in blocks, and tokens that are structures of their own. */
export const KEY_BLOCK_RULES: readonly Rule[] = [
  {
    name: 'jwt',
    type: 'key',
    anchors: ['eyj'],
    verify: verifyJwt,
    source: 'https://www.rfc-editor.org/rfc/rfc7519',
    masks: [jwt],
    keeps: ['header.payload.signature', 'xxxxx.yyyyy.zzzzz'],
  },
  {
    name: 'jwt-base64',
    type: 'key',
    anchors: ['zxlk'],
    verify: verifyEncodedJwt,
    source: 'https://www.rfc-editor.org/rfc/rfc7519',
    masks: [Buffer.from(jwt).toString('base64url')],
    keeps: ['ZXlKhbGci'],
  },
  {
    name: 'private-key',
    type: 'key',
    anchors: ['-----begin ', 'private-lines: '],
    verify: (window, start, end) =>
      window.code(start) === CODE.hyphen ? verifyArmour(window, start, end) : verifyPutty(window, end),
    source: 'https://www.rfc-editor.org/rfc/rfc7468',
    masks: [`${armour('BEGIN')}\n${drawn}${drawn}${drawn}\n${armour('END')}`],
    keeps: [`The line \`${armour('BEGIN')}\` begins it.`, `-----BEGIN CERTIFICATE-----\n${drawn}${drawn}\n`],
  },
];
