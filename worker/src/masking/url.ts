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
  LETTER,
  PERCENT,
  QUOTE,
  SYMBOL,
  TILDE,
  UNDERSCORE,
} from './characters.ts';
import type { Finding, Verify } from './finding.ts';
import { type HostLists, type HostVerdict, hostJudge, isApiPath, isReadingPage } from './host-policy.ts';
import { SERVICE_SCHEMES, WEB_SCHEMES } from './rules/host-lists.ts';
import type { TextWindow } from './text-window.ts';

const SCHEME = ALNUM | DASH | DOT | UNDERSCORE;
const USERINFO = ALNUM | UNDERSCORE | DASH | DOT | TILDE | PERCENT | COLON | SYMBOL | DOLLAR | EQUALS;
const LONGEST_SCHEME = 24;
/** An authority longer than this is no host name: whatever it is, all of it is masked. */
const LONGEST_AUTHORITY = 2048;
const LONGEST_HOST = 255;
/** How much of the path is read to tell an endpoint from a page. */
const LONGEST_PATH = 160;

const ENCODED_SEPARATORS = ['%2f', '%20', '%3f', '%23', '%0a'];

const PERCENT_CODE = 37;
const PLUS = 43;
const AT = 64;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const BACKSLASH = 92;

interface Authority {
  readonly start: number;
  readonly hostStart: number;
  readonly hostEnd: number;
  readonly end: number;
  readonly port: boolean;
  readonly login: boolean;
  /** A template stands where a name should: `${HOST}`, `<host>`, `{host}`. */
  readonly templated: boolean;
}

/** `http` or `https` right before `end` with nothing stuck to it, as almost everywhere; empty for everything else. */
function plainScheme(window: TextWindow, end: number): string {
  const secure = window.before(end - 1) === 115;
  const from = secure ? end - 5 : end - 4;
  if (
    window.before(from) !== 104 ||
    window.code(from + 1) !== 116 ||
    window.code(from + 2) !== 116 ||
    window.code(from + 3) !== 112
  )
    return '';
  const code = window.before(from - 1);
  return isIn(code, SCHEME) || code === PLUS || code === BACKSLASH ? '' : secure ? 'https' : 'http';
}

/** `postgresql%2Basyncpg`: a driver's plus sign, percent-encoded like the rest. */
function withPlus(window: TextWindow, start: number, written: string): string {
  const from = window.runBefore(start - 1, ALNUM, LONGEST_SCHEME);
  return `${window.text.slice(from, start - 1).toLowerCase()}+${written.slice(2)}`;
}

/** The scheme that ends before `end`, lower case; empty when there is none. */
function schemeBefore(window: TextWindow, end: number): string {
  const plain = plainScheme(window, end);
  if (plain !== '') return plain;
  let start = end;
  const stop = Math.max(window.floor, end - LONGEST_SCHEME);
  while (start > stop && (isIn(window.code(start - 1), SCHEME) || window.code(start - 1) === PLUS)) start--;
  // One letter is a drive, `c:\\`, not a scheme.
  if (end - start < 2) return '';
  const written = window.text.slice(start, end).toLowerCase();
  if (written === 'https' || written === 'http') return written;
  const scheme =
    written.startsWith('2b') && window.before(start - 1) === 37 ? withPlus(window, start, written) : written;
  // An escape or a name stuck to the scheme is not part of it: `\nhttps`, `url.https`.
  const known = /(?:^|[^a-z+]|^[nrt])(https?|wss?|ftps?)$/.exec(scheme)?.[1];
  if (known !== undefined) return known;
  if (window.before(start - 1) === BACKSLASH && /^[nrt][a-z]/.test(scheme)) return scheme.slice(1);
  return scheme.replace(/^[^a-z]+/, '');
}

/** The end of a host that a path, a blank or a closing character follows: no login, no port, no template. Else -1. */
function plainHost(window: TextWindow, start: number): number {
  const end = window.run(start, HOSTNAME, LONGEST_HOST);
  if (end === start || !isIn(window.code(end - 1), ALNUM)) return -1;
  const code = window.at(end);
  return code === 47 || code === 41 || code === 32 || code === 10 || code === 62 || code === 93 || code === 34
    ? end
    : -1;
}

/** Reads `userinfo@host:port` from `start`. Undefined when there is no host. */
function readAuthority(window: TextWindow, start: number): Authority | undefined {
  const at = lastAt(window, start);
  const hostStart = at < 0 ? start : at + 1;
  const bracketed = window.at(hostStart) === OPEN_BRACKET;
  let hostEnd: number;
  if (bracketed) {
    const inside = window.run(hostStart + 1, ALNUM | COLON | DOT | PERCENT, 64);
    if (window.at(inside) !== CLOSE_BRACKET || inside < hostStart + 3) return undefined;
    hostEnd = inside + 1;
  } else {
    hostEnd = window.trim(hostStart, window.run(hostStart, HOSTNAME, LONGEST_HOST), '-._');
  }
  const end = endOfPort(window, hostEnd);
  const after = window.at(end);
  const templated =
    after === 123 ||
    after === 36 ||
    after === 60 ||
    (after === 37 && !isIn(window.at(end + 1), HEX)) ||
    (end > hostEnd && after === 125);
  if (hostEnd === hostStart && !templated) return undefined;
  return { start, hostStart, hostEnd, end, port: end > hostEnd, login: at >= 0, templated };
}

/** The last @ before the path, so that a password may hold one; -1 when there is none. */
function lastAt(window: TextWindow, start: number): number {
  let at = -1;
  let stop = start + LONGEST_AUTHORITY;
  let encoded = false;
  for (let index = start; index < stop; index++) {
    const code = window.at(index);
    if (code === AT) at = index;
    else if (code === PERCENT_CODE && !encoded) {
      if (window.matches(index, '%40')) at = index + 2;
      // An encoded separator ends the authority for an encoded @; a password may hold it before a real one.
      encoded = ENCODED_SEPARATORS.some((separator) => window.matches(index, separator));
      if (encoded) stop = Math.min(stop, index + LONGEST_HOST);
    } else if (!isIn(code, USERINFO) || code === 63 || code === 35) break;
  }
  return at;
}

/** Reads `:port`, percent-encoded too. `:PORT` and `:${PORT}` are no ports. */
export function endOfPort(window: TextWindow, at: number): number {
  const code = window.at(at);
  const digits = code === 58 ? at + 1 : code === 37 && window.matches(at, '%3a') ? at + 3 : -1;
  if (digits < 0) return at;
  const end = window.run(digits, DIGIT, 5);
  return end > digits && !isIn(window.at(end), ALNUM) ? end : at;
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
  const path = window.text.slice(from, window.trim(Math.max(from, end - 8), end, '.*_;:!')).toLowerCase();
  return path.includes('\\') || path.includes('%2f') ? path.replaceAll('\\/', '/').replaceAll('%2f', '/') : path;
}

const ENDPOINT_CONTEXT =
  /(?:\b(?:post|put|patch|delete) {1,2}|(?:base[_-]?ur[li]|endpoint|api[_-]?(?:ur[li]|host|server|base)|service[_-]?ur[li]|webhook[_-]?ur[li]|backend[_-]?ur[li]|server[_-]?url|proxy_pass)["'`]? {0,2}[:=]? {0,2}["'`]?)$/i;

function isEndpointContext(window: TextWindow, urlStart: number): boolean {
  // Most links stand in brackets, which no such context ends with.
  const code = window.before(urlStart - 1);
  return (
    (isIn(code, LETTER | COLON | EQUALS | QUOTE) || code === 32) && ENDPOINT_CONTEXT.test(window.left(urlStart, 40))
  );
}

type ConnectionReader = (
  window: TextWindow,
  scheme: string,
  start: number,
  end: number,
) => Finding | undefined | 'not-one';

/** Verifies `scheme://`, `scheme:\/\/` (JSON) and `scheme%3A%2F%2F`. */
export function urlVerifier(lists: HostLists, readConnection: ConnectionReader): Verify {
  const judge = hostJudge(lists);
  return (window, start, end) => {
    const scheme = schemeBefore(window, start);
    if (scheme === '') return undefined;
    if (!WEB_SCHEMES.has(scheme)) {
      const found = readConnection(window, scheme, start, end);
      if (found !== 'not-one') return found;
    }
    const hostEnd = plainHost(window, end);
    if (hostEnd > end) {
      const plain = { start: end, hostStart: end, hostEnd, end: hostEnd, port: false, login: false, templated: false };
      return findingAt(window, scheme, start, plain, judge);
    }
    const endless = end + LONGEST_AUTHORITY;
    if (window.run(end, USERINFO, LONGEST_AUTHORITY) === endless) {
      return { type: 'url', rule: 'url-userinfo', start: end, end: endless, open: USERINFO };
    }
    const authority = readAuthority(window, end);
    if (authority === undefined) return undefined;
    return findingAt(window, scheme, start, authority, judge);
  };
}

function findingAt(
  window: TextWindow,
  scheme: string,
  schemeEnd: number,
  authority: Authority,
  judge: ReturnType<typeof hostJudge>,
): Finding | undefined {
  const verdict = judge(window.text.slice(authority.hostStart, authority.hostEnd));
  const rule = ruleFor(window, scheme, schemeEnd - scheme.length, authority, verdict);
  return rule === undefined ? undefined : { type: 'url', rule, start: authority.start, end: authority.end };
}

/** Verifies `"//host/path"`, which inherits its scheme. */
export function relativeUrlVerifier(lists: HostLists): Verify {
  const judge = hostJudge(lists);
  return (window, start, end) => {
    if (!isIn(window.at(end), ALNUM)) return undefined;
    const authority = readAuthority(window, end);
    if (authority === undefined || authority.login) return undefined;
    const host = window.text.slice(authority.hostStart, authority.hostEnd);
    if (!/\.(?:[a-z]{2,}|\d{1,3})$/i.test(host)) return undefined;
    const rule = ruleFor(window, 'https', start, authority, judge(host));
    return rule === undefined ? undefined : { type: 'url', rule, start: authority.start, end: authority.end };
  };
}

function ruleFor(
  window: TextWindow,
  scheme: string,
  urlStart: number,
  authority: Authority,
  verdict: HostVerdict,
): string | undefined {
  const { kind, rule } = verdict;
  if (!endsAuthority(window, authority.end)) return undefined;
  if (kind === 'allowed') return undefined;
  if (kind === 'configured') return rule;
  if (authority.login && isCredential(window, authority)) return 'url-userinfo';
  if (authority.templated) return undefined;
  if (kind !== 'placeholder' && SERVICE_SCHEMES.has(scheme)) return 'service-scheme';
  if (kind === 'mask' && rule === 'url-ip-host') return rule;
  if (!WEB_SCHEMES.has(scheme) || kind === 'placeholder') return undefined;
  if (authority.port) return 'url-port';
  if (kind === 'mask') return rule;
  if (kind === 'reading') return undefined;
  const path = readPath(window, authority.end);
  if (kind === 'api') return isReadingPage(path) ? undefined : rule;
  if (isApiPath(path)) return rule;
  return isEndpointContext(window, urlStart) && !isReadingPage(path) ? 'url-endpoint-context' : undefined;
}

/** `=`, `(` and `@` cannot follow an authority, and dots after it are an ellipsis. */
function endsAuthority(window: TextWindow, end: number): boolean {
  const code = window.at(end);
  return (
    !window.touchesMarker(end) &&
    code !== 61 &&
    code !== 40 &&
    code !== AT &&
    !(code === 46 && window.at(end + 1) === 46)
  );
}

/** A login in a URL. `git@github.com` names a repository; `<user>:${PASSWORD}@` is a template. */
function isCredential(window: TextWindow, { start, hostStart }: Authority): boolean {
  const login = window.text.slice(start, hostStart - 1);
  if (login === '' || /^(?:git|hg|svn|ssh)$/.test(login) || login.startsWith('***')) return false;
  const secret = login.slice(login.indexOf(':') + 1);
  return (
    !/^(?:\$[A-Za-z_]|\$?\{|%[A-Z_]+%$|[*.x]+$)/.test(secret) &&
    (isIn(login.charCodeAt(0), LETTER | DIGIT) || login.startsWith(':'))
  );
}
