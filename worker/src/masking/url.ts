import {
  ALNUM,
  COLON,
  DASH,
  DIGIT,
  DOLLAR,
  DOT,
  EQUALS,
  HEX,
  HOSTNAME,
  isIn,
  PERCENT,
  SYMBOL,
  TILDE,
  UNDERSCORE,
} from './characters.ts';
import type { Finding, Verify } from './finding.ts';
import { type HostLists, judgeHost } from './host-policy.ts';
import type { TextWindow } from './text-window.ts';

const SCHEME = ALNUM | DASH | DOT;
const USERINFO = ALNUM | UNDERSCORE | DASH | DOT | TILDE | PERCENT | COLON | SYMBOL | DOLLAR | EQUALS;
const LONGEST_SCHEME = 24;
const LONGEST_HOST = 255;
/** How much of the path is read to tell an endpoint from a page. */
const LONGEST_PATH = 160;

const SLASH = 47;

export interface Authority {
  readonly start: number;
  readonly end: number;
  readonly host: string;
  readonly bracketed: boolean;
  readonly port: boolean;
  readonly userinfo: string;
  /** A template stands where a name should: `${HOST}`, `<host>`, `{host}`. */
  readonly templated: boolean;
}

/** The scheme that ends before `end`, lower case; empty when there is none. */
export function schemeBefore(window: TextWindow, end: number): string {
  let start = end;
  while (end - start < LONGEST_SCHEME && (isIn(window.before(start - 1), SCHEME) || window.before(start - 1) === 43))
    start--;
  let scheme = window.text.slice(start, end).toLowerCase();
  // A JSON or shell escape, or a name stuck to the scheme, is not part of it: `\nhttps`, `url.https`.
  if (
    window.before(start - 1) === 92 &&
    /^[nrt]/.test(scheme) &&
    scheme.length > 1 &&
    !scheme.startsWith('redis') &&
    !scheme.startsWith('neo4j')
  ) {
    scheme = /^[nrt](?:https?|wss?|grpc|postgres|mysql|mongodb|redis|amqp)/.test(scheme) ? scheme.slice(1) : scheme;
  }
  const known = /(?:^|[^a-z+])(https?|wss?|ftps?)$/.exec(scheme);
  return known?.[1] ?? scheme.replace(/^[^a-z]+/, '');
}

/** Reads `userinfo@host:port` from `start`. Undefined when there is no host. */
export function readAuthority(window: TextWindow, start: number): Authority | undefined {
  const run = window.text.slice(start, window.run(start, USERINFO, 512));
  // The last @ before the path ends the userinfo, so that a password may hold one.
  const at = run.slice(0, run.search(/[?#]|$/)).lastIndexOf('@');
  const hostStart = at < 0 ? start : start + at + 1;
  const userinfo = at < 0 ? '' : window.text.slice(start, hostStart - 1);
  const bracketed = window.at(hostStart) === 91;
  let hostEnd: number;
  if (bracketed) {
    const inside = window.run(hostStart + 1, HEX | COLON | DOT | PERCENT | ALNUM, 64);
    if (window.at(inside) !== 93 || inside < hostStart + 3) return undefined;
    hostEnd = inside + 1;
  } else {
    hostEnd = window.run(hostStart, HOSTNAME, LONGEST_HOST);
    while (hostEnd > hostStart && !isIn(window.text.charCodeAt(hostEnd - 1), ALNUM)) hostEnd--;
  }
  const host = window.text.slice(hostStart, hostEnd);
  const { end, port } = readPort(window, hostEnd);
  const after = window.at(end);
  const templated =
    after === 123 ||
    after === 36 ||
    after === 60 ||
    (after === 37 && !isIn(window.at(end + 1), HEX)) ||
    (port && after === 125);
  if (host === '' && !templated) return undefined;
  return { start, end, host, bracketed, port, userinfo, templated };
}

/** Reads `:port`, percent-encoded too. `:PORT` and `:${PORT}` are no ports. */
function readPort(window: TextWindow, at: number): { end: number; port: boolean } {
  const encoded = window.at(at) === 37 && window.matches(at, '%3a');
  const digits = window.at(at) === 58 ? at + 1 : encoded ? at + 3 : -1;
  if (digits < 0) return { end: at, port: false };
  const end = window.run(digits, DIGIT, 5);
  return end > digits && !isIn(window.at(end), ALNUM) ? { end, port: true } : { end: at, port: false };
}

/** The path and query after an authority, lower case, with escaped slashes resolved. */
export function readPath(window: TextWindow, from: number): string {
  let end = from;
  while (end - from < LONGEST_PATH) {
    const code = window.at(end);
    if (
      code <= 32 ||
      code > 126 ||
      code === 34 ||
      code === 39 ||
      code === 96 ||
      code === 60 ||
      code === 62 ||
      code === 41 ||
      code === 44
    )
      break;
    end++;
  }
  return window.text
    .slice(from, end)
    .toLowerCase()
    .replaceAll('\\/', '/')
    .replaceAll('%2f', '/')
    .replace(/[.*_;:!]+$/, '');
}

const ENDPOINT_CONTEXT =
  /(?:\b(?:post|put|patch|delete)\s+|(?:base[_-]?ur[li]|endpoint|api[_-]?(?:ur[li]|host|server|base)|service[_-]?ur[li]|webhook[_-]?ur[li]|backend[_-]?ur[li]|server[_-]?url|proxy_pass)["'`]?\s{0,2}[:=]?\s{0,2}["'`]?)$/i;

/** Verifies `scheme://`, `scheme:\/\/` (JSON) and `scheme%3A%2F%2F`. */
export function urlVerifier(
  lists: HostLists,
  connection: (window: TextWindow, scheme: string, start: number, end: number) => Finding | undefined | 'not-one',
): Verify {
  return (window, start, end) => {
    const scheme = schemeBefore(window, start);
    if (scheme === '') return undefined;
    const found = connection(window, scheme, start, end);
    if (found !== 'not-one') return found;
    return judgeAuthority(window, scheme, end, start - scheme.length, lists);
  };
}

/** Verifies `"//host/path"`, which inherits its scheme. */
export function relativeUrlVerifier(lists: HostLists): Verify {
  return (window, _start, end) =>
    isIn(window.at(end), ALNUM) ? judgeAuthority(window, 'https', end, end, lists, true) : undefined;
}

function judgeAuthority(
  window: TextWindow,
  scheme: string,
  from: number,
  urlStart: number,
  lists: HostLists,
  relative = false,
): Finding | undefined {
  const authority = readAuthority(window, from);
  if (authority === undefined || authority.templated) return undefined;
  const { host, bracketed, port, userinfo } = authority;
  if (isTemplateUserinfo(userinfo)) return undefined;
  if (relative && !host.includes('.')) return undefined;
  const path =
    window.at(authority.end) === SLASH || window.at(authority.end) > 32 ? readPath(window, authority.end) : '';
  const endpointContext = ENDPOINT_CONTEXT.test(window.left(urlStart, 40));
  const rule = judgeHost({ scheme, host, bracketed, port, userinfo, path, endpointContext }, lists);
  return rule === undefined ? undefined : { type: 'url', rule, start: authority.start, end: authority.end };
}

/** `user:password@` and `<user>:<password>@` in a URL are a lesson, not a login. */
function isTemplateUserinfo(userinfo: string): boolean {
  return userinfo.includes('$') && /\$[A-Za-z_]/.test(userinfo) && !/[a-z0-9]{8}/i.test(userinfo.split(':')[1] ?? '');
}
