import { BARE_VALUE, DOT, isIn, LINE_END, LONGEST_RUN, QUOTE, WORD } from './characters.ts';
import type { Finding, Verify } from './finding.ts';
import { isPlaceholder, isTemplate } from './placeholder.ts';
import { CONNECTION_SCHEMES, MAIL_SCHEMES } from './rules/connection-families.ts';
import type { TextWindow } from './text-window.ts';

const BACKSLASH = 92;

/** Reads a database URI at `scheme://`; 'not-one' when the scheme is not of a database, queue or mail server. */
export function readConnectionUri(
  window: TextWindow,
  scheme: string,
  start: number,
  end: number,
): Finding | undefined | 'not-one' {
  const family = scheme.replace(/\+.*$/, '');
  const mail = MAIL_SCHEMES.has(scheme);
  if (!CONNECTION_SCHEMES.has(family) && !mail) return 'not-one';
  const schemeStart = start - scheme.length;
  const stop = endOfUri(window, end, window.before(schemeStart - 1));
  const body = window.text.slice(end, stop).replaceAll('\\/', '/').replace(/%3a/i, ':').replace(/%40/i, '@');
  if (mail && !body.includes('@')) return 'not-one';
  if (isTemplateOfUri(body)) return undefined;
  return spanOf(window, `${family}-uri`, startOfRun(window, schemeStart), end, stop);
}

/** What is stuck to the scheme goes with it, so that what stays does not end in the middle of a word; an escape stays. */
function startOfRun(window: TextWindow, schemeStart: number): number {
  const start = window.runBefore(schemeStart, WORD | DOT, 64);
  return window.before(start - 1) === BACKSLASH ? schemeStart : start;
}

function spanOf(window: TextWindow, rule: string, start: number, bodyStart: number, stop: number): Finding {
  const finding = { type: 'connection', rule, start, end: stop } as const;
  return stop - bodyStart >= LONGEST_RUN && isIn(window.at(stop), BARE_VALUE)
    ? { ...finding, open: BARE_VALUE }
    : finding;
}

/**
 * Where an unspaced value ends: at white space, quotes, backticks, angle brackets, table pipes and unbalanced closing
 * brackets. Trailing punctuation belongs to the sentence.
 */
function endOfUri(window: TextWindow, from: number, opener: number, spaces = false): number {
  const stop = from + LONGEST_RUN;
  const quoted = isIn(opener, QUOTE);
  let index = from;
  let depth = 0;
  for (; index < stop; index++) {
    const code = window.at(index);
    if (code < 0 || (code <= 32 && !(spaces && quoted && code === 32))) break;
    if (quoted ? code === opener : isIn(code, QUOTE)) break;
    if (isIn(code, LINE_END) || code === 60 || code === 62 || code === 124 || code === 96 || code >= 0x2000) break;
    if (code === BACKSLASH && endsAtBackslash(window, index)) break;
    if (code === 44 && window.at(index + 1) > 0 && /^,[a-z][a-z+]{1,18}:\/\//.test(window.peek(index, 24))) break;
    if (code === 40 || code === 91 || code === 123) depth++;
    if ((code === 41 || code === 93 || code === 125) && --depth < 0) break;
  }
  const closed = quoted && index < stop && window.at(index) === opener;
  if (index < stop && !closed) index = window.trim(from, index, '.,;:!?*_');
  return index;
}

function endsAtBackslash(window: TextWindow, index: number): boolean {
  const next = window.at(index + 1);
  return next <= 32 || next === 34 || next === 39 || next === 96 || next === 110 || next === 114 || next === 116;
}

/** True for `<user>:<password>@<host>`, `${DB}`, `USER:PASSWORD@HOST`, an ellipsis, or nothing at all. */
function isTemplateOfUri(body: string): boolean {
  const rest = body.replace(/^\/+/, '');
  if (rest.includes('***')) return true;
  const at = rest.lastIndexOf('@');
  const userinfo = at < 0 ? '' : rest.slice(0, at);
  const host =
    rest
      .slice(at + 1)
      .replace(/^\/+/, '')
      .split(/[/?;]/, 1)[0] ?? '';
  const colon = userinfo.indexOf(':');
  const password = colon < 0 ? '' : userinfo.slice(colon + 1);
  if (password !== '' && !isBlank(password)) return false;
  if (/^(?:\[?host(?:name)?\]?|server|hosts?\d*):(?:port)/i.test(host)) return true;
  if (isBlank(host)) return true;
  return colon >= 0 && !isTelling(host);
}

/** A part to fill in. Lower-case words such as `password` are values: a tutorial's login is still a login. */
function isBlank(part: string): boolean {
  return (
    !/[a-z0-9]/i.test(part) ||
    isTemplate(part) ||
    /^[A-Z][A-Z_]*(?::[A-Z_]+)?$/.test(part) ||
    (isPlaceholder(part) && /^[x*.…:]+$|\*\*\*|\.\.\./i.test(part))
  );
}

/** A host that discloses something beside a password that is a template. */
function isTelling(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name.includes('.') && !/(?:^|\.)example\.(?:com|org|net)$|^127\./.test(name);
}

/** Verifies at `jdbc:` and `r2dbc:`. */
export const verifyJdbc: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), BARE_VALUE & ~(512 | 2048 | 128))) return undefined;
  const parts = /^[a-z0-9+-]{2,20}(?::[a-z0-9+-]{2,20}){0,2}?:(?:\/\/|@|thin:|oci:|\w{1,32}\/\w)/i.exec(
    window.peek(end, 64),
  );
  if (parts === null || /^(?:sqlite|duckdb|h2:(?:mem|file|~)|hsqldb:mem|derby:[^/])/i.test(parts[0])) return undefined;
  const stop = endOfUri(window, end, window.before(start - 1), true);
  const body = window.text.slice(end, stop);
  const password = /[;?&:](?:password|pwd)=([^;&]+)/i.exec(body)?.[1] ?? '';
  const rest = body
    .slice(parts[0].search(/(?:\/\/|@|thin:|oci:)/i))
    .replace(/^(?:thin|oci):/i, '')
    .replace(/^(?:\/\/|@\/?\/?)/, '');
  if ((password === '' || isBlank(password)) && isTemplateOfUri(rest.replace(/^@/, ''))) return undefined;
  return spanOf(window, 'jdbc', start, end, stop);
};

/** Verifies at `@tcp(`, the middle of Go's MySQL data source name `user:password@tcp(host:port)/db`. */
export const verifyGoDsn: Verify = (window, start, end) => {
  const from = window.unbrokenBefore(start);
  if (from === start) return undefined;
  const opener = window.before(from - 1);
  const close = window.run(end, BARE_VALUE, 128);
  if (window.at(close) !== 41) return undefined;
  if (window.text.slice(from, close).includes('***')) return undefined;
  const userinfo = window.text.slice(from, start);
  const password = userinfo.slice(userinfo.indexOf(':') + 1);
  if (isBlank(password) && isBlank(window.text.slice(end, close))) return undefined;
  return spanOf(window, 'go-dsn', from, close, endOfUri(window, close + 1, opener));
};

/** Verifies at `sqlplus `: the logon `user/password@host:port/service`. */
export const verifySqlplus: Verify = (window, _start, end) => {
  let from = end;
  while (window.at(from) === 45) from = window.run(window.run(from, BARE_VALUE, 24), 8192, 4);
  const quote = isIn(window.at(from), QUOTE) ? window.at(from) : -1;
  if (quote > 0) from++;
  const stop = endOfUri(window, from, quote);
  const logon = /^([^/\s]{1,64})\/([^\s]{1,256})@([^\s@]{1,256})$/.exec(window.text.slice(from, stop));
  if (logon === null || isBlank(logon[2] ?? '')) return undefined;
  return { type: 'connection', rule: 'oracle-logon', start: from, end: stop };
};
