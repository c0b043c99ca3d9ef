import { BARE_VALUE, CODE, isIn, LINE_END, LONGEST_RUN, QUOTE } from './characters.ts';
import type { Finding } from './finding.ts';
import { isPlaceholder, isTemplate } from './placeholder.ts';
import type { TextWindow } from './text-window.ts';

/**
 * Where an unspaced value ends: at white space, quotes, backticks, angle brackets, table pipes and unbalanced closing
 * brackets. Trailing punctuation belongs to the sentence.
 */
export function endOfUri(window: TextWindow, from: number, opener: number, spaces = false): number {
  const stop = from + LONGEST_RUN;
  const quoted = isIn(opener, QUOTE);
  let index = from;
  let depth = 0;
  for (; index < stop; index++) {
    const code = window.at(index);
    if (code < 0 || (code <= CODE.space && !(spaces && quoted && code === CODE.space))) break;
    if (quoted ? code === opener : isIn(code, QUOTE)) break;
    if (
      isIn(code, LINE_END) ||
      code === CODE.less ||
      code === CODE.greater ||
      code === CODE.pipe ||
      code === CODE.backtick ||
      code >= CODE.generalPunctuation
    )
      break;
    if (code === CODE.backslash && endsAtBackslash(window, index)) break;
    if (code === CODE.comma && window.at(index + 1) > 0 && /^,[a-z][a-z+]{1,18}:\/\//.test(window.peek(index, 24)))
      break;
    if (code === CODE.openParenthesis || code === CODE.openBracket || code === CODE.openBrace) depth++;
    if ((code === CODE.closeParenthesis || code === CODE.closeBracket || code === CODE.closeBrace) && --depth < 0)
      break;
  }
  const closed = quoted && index < stop && window.at(index) === opener;
  if (index < stop && !closed) index = window.trim(from, index, '.,;:!?*_');
  return index;
}

function endsAtBackslash(window: TextWindow, index: number): boolean {
  const next = window.at(index + 1);
  return (
    next <= CODE.space ||
    next === CODE.doubleQuote ||
    next === CODE.singleQuote ||
    next === CODE.backtick ||
    next === CODE.n ||
    next === CODE.r ||
    next === CODE.t
  );
}

/** True for `<user>:<password>@<host>`, `${DB}`, `USER:PASSWORD@HOST`, an ellipsis, or nothing at all. */
export function isTemplateOfUri(body: string): boolean {
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
export function isBlank(part: string): boolean {
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

/** A finding from `start` to `stop`; when the body was cut off at the limit of a run, the rest is swallowed. */
export function connectionSpan(window: TextWindow, start: number, bodyStart: number, stop: number): Finding {
  const finding = { start, end: stop };
  return stop - bodyStart >= LONGEST_RUN && isIn(window.at(stop), BARE_VALUE)
    ? { ...finding, open: BARE_VALUE }
    : finding;
}
