import { contextBefore } from '../address-context.ts';
import { ALNUM, CODE, COLON, DIGIT, DOT, HEX, isIn, LETTER, UNDERSCORE, WORD } from '../characters.ts';
import { ANY_DIGIT, type Verify } from '../finding.ts';
import type { TextWindow } from '../text-window.ts';
import { readQuad } from './ip4-addresses.ts';
import type { Rule } from './rule.ts';

const LONGEST_ADDRESS = 48;

interface Address6 {
  readonly end: number;
  readonly groups: number;
  readonly compressed: boolean;
  readonly mapped: boolean;
  /** The longest group and whether all groups are two digits long, as in a hardware address. */
  readonly longest: number;
  readonly pairs: boolean;
}

/** Verifies at a colon behind a hex digit and before another or a colon, and at a double colon; only the first colon of a run is judged. */
const verifyIp6: Verify = (window, anchorStart) => {
  const double = window.code(anchorStart) === CODE.colon;
  const start = double ? anchorStart : window.runBefore(anchorStart + 1, HEX, 5);
  if (double && isIn(window.before(anchorStart - 1), HEX | COLON)) return undefined;
  if (!double && (start > anchorStart || anchorStart + 1 - start > 4)) return undefined;
  const left = window.before(start - 1);
  if (isIn(left, WORD) && !(window.before(start - 2) === CODE.backslash && /[nrt]/.test(window.text.charAt(start - 1))))
    return undefined;
  // `ip6:2001:db8::/32` of a sender policy (RFC 7208, 5.6).
  const isNamed = left === CODE.colon && /(?:^|[^a-z\d])(?:ip6|ipv6|inet6|addr6?|aaaa):$/i.test(window.left(start, 8));
  if ((isIn(left, COLON | DOT) && !isNamed) || left === CODE.hyphen || left === CODE.slash || left === CODE.plus)
    return undefined;
  const address = readAddress(window, start);
  if (address === undefined || !isWhole(address)) return undefined;
  if (window.touchesMarker(window.at(address.end) === CODE.colon ? address.end + 1 : address.end)) return undefined;
  if (!isAddressHere(window, start, address)) return undefined;
  return { start, end: readZone(window, address.end) };
};

function readAddress(window: TextWindow, start: number): Address6 | undefined {
  let index = start;
  let groups = 0;
  let compressed = false;
  let longest = 0;
  let pairs = true;
  while (index - start < LONGEST_ADDRESS) {
    const end = window.run(index, HEX, 5);
    const length = end - index;
    if (length > 4) return undefined;
    if (length > 0) {
      if (window.at(end) === CODE.dot && isIn(window.at(end + 1), DIGIT) && isIn(window.code(index), DIGIT)) {
        const quad = readQuad(window, index);
        if (quad === undefined) return undefined;
        return isClean(window, quad.end)
          ? { end: quad.end, groups: groups + 2, compressed, mapped: true, longest, pairs: false }
          : undefined;
      }
      groups++;
      longest = Math.max(longest, length);
      if (length !== 2) pairs = false;
    }
    if (window.at(end) !== CODE.colon) {
      return isClean(window, end) && !(length === 0 && !compressed)
        ? { end, groups, compressed, mapped: false, longest, pairs }
        : undefined;
    }
    if (window.at(end + 1) === CODE.colon) {
      if (compressed) return undefined;
      compressed = true;
      index = end + 2;
      if (!isIn(window.at(index), HEX)) {
        return isClean(window, index) ? { end: index, groups, compressed, mapped: false, longest, pairs } : undefined;
      }
    } else {
      if (length === 0) return undefined;
      if (!isIn(window.at(end + 1), HEX)) {
        // A sentence colon or a port separator after the address: `fe80::1: unreachable`.
        return isIn(window.at(end + 1), ALNUM | UNDERSCORE)
          ? undefined
          : { end, groups, compressed, mapped: false, longest, pairs };
      }
      index = end + 1;
    }
  }
  return undefined;
}

function isClean(window: TextWindow, end: number): boolean {
  const code = window.at(end);
  return (
    !isIn(code, WORD | COLON) &&
    !(code === CODE.dot && isIn(window.at(end + 1), ALNUM)) &&
    code !== CODE.openParenthesis
  );
}

function isWhole(address: Address6): boolean {
  if (address.compressed) return address.groups <= 7 && address.groups > 0;
  return address.groups === 8 && !address.pairs;
}

/** Short forms are operators, slices and casts far more often than addresses, so they need a sign. */
function isAddressHere(window: TextWindow, start: number, address: Address6): boolean {
  const opened = window.before(start - 1) === CODE.openBracket;
  const indexed =
    opened &&
    (isIn(window.before(start - 2), WORD) ||
      window.before(start - 2) === CODE.closeBracket ||
      window.before(start - 2) === CODE.closeParenthesis);
  if (indexed) return false;
  if (address.mapped || address.groups >= 3) return true;
  const text = window.slice(start, address.end);
  if (text === '::1') return window.before(start - 1) !== CODE.comma || window.at(address.end) !== CODE.closeBracket;
  const closed = opened && window.at(address.end) === CODE.closeBracket;
  const prefixed = window.at(address.end) === CODE.slash && isIn(window.at(address.end + 1), DIGIT);
  const zoned = window.at(address.end) === CODE.percent && isIn(window.at(address.end + 1), LETTER);
  if (prefixed || zoned) return true;
  if (/^(?:fe[89ab][0-9a-f]|f[cd][0-9a-f]{2}|2[0-9a-f]{3}|ff0[0-9a-f]):/i.test(text)) return true;
  return (closed && address.longest > 2) || (address.longest > 1 && contextBefore(window, start).context === 'address');
}

function readZone(window: TextWindow, end: number): number {
  if (window.at(end) !== CODE.percent || !isIn(window.at(end + 1), LETTER)) return end;
  return window.run(end + 1, ALNUM | UNDERSCORE, 16);
}

const HEX_DIGIT = [ANY_DIGIT, 'a', 'b', 'c', 'd', 'e', 'f'];
/** A colon between hexadecimal digits, or before another: most words that end in one of these letters have nothing of that behind their colon. */
const IN_ADDRESS = HEX_DIGIT.flatMap((digit) => [...HEX_DIGIT, ':'].map((next) => `${digit}:${next}`));

/** IPv6 addresses. */
export const IP6_RULES: readonly Rule[] = [
  {
    name: 'ipv6',
    type: 'ip',
    anchors: [...IN_ADDRESS, '::'],
    verify: verifyIp6,
    source: 'https://www.rfc-editor.org/rfc/rfc4291#section-2.2',
    masks: [
      'at 2001:db8::8a2e:370:7334.',
      'binds to ::1 only',
      '::ffff:192.0.2.7',
      'fe80::1%eth0',
      'v=spf1 ip6:2001:db8:77::/48 -all',
    ],
    keeps: ['std::io', 'a[1::2]', '42::text', '00:1A:2B:3C:4D:5E', '12:34:56'],
  },
];
