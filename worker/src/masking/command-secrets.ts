import { BARE_VALUE, DASH, DOT, isIn, QUOTE, WORD } from './characters.ts';
import type { Finding, Verify } from './finding.ts';
import { isPlaceholder } from './placeholder.ts';
import { DEFAULT_WORDS } from './rules/secret-words.ts';
import type { TextWindow } from './text-window.ts';

/** How a command takes a secret: `-p value`, `-pvalue`, or `-u user:value`. */
export interface CommandOption {
  readonly option: string;
  readonly style: 'separate' | 'attached' | 'login';
}

const LONGEST_COMMAND = 400;
const LONGEST_ARGUMENT = 256;

/** Verifies at a command's name: looks along the command line for the options that carry a secret. */
export function commandVerifier(command: string, options: readonly CommandOption[]): Verify {
  return (window, start, end) => {
    if (isIn(window.before(start - 1), WORD | DASH | DOT)) return undefined;
    for (let index = end - 1; index < end + LONGEST_COMMAND; index++) {
      const code = window.at(index);
      if (code < 0 || code === 96 || code === 124 || code === 59 || (code === 10 && window.before(index - 1) !== 92))
        return undefined;
      if (code !== 32 && !isIn(code, QUOTE)) continue;
      const next = window.at(index + 1);
      if (next === command.charCodeAt(0) && window.matches(index + 1, command)) return undefined;
      const found = next === 45 && code === 32 ? readOption(window, index + 1, options) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

const TAKES_SECRETS = /^["']?\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?(?:chpasswd|[^|\n]{0,120}--password-stdin)/;

/** Verifies at `echo `: what is piped into a command that reads a password. */
export const verifyPiped: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), WORD | DASH | DOT)) return undefined;
  const found = readArgument(window, end, 'separate');
  if (found === undefined || window.at(found.start) === 45) return undefined;
  const after = window.peek(found.end, 160);
  if (!TAKES_SECRETS.test(after)) return undefined;
  const login = after.includes('chpasswd') ? window.text.slice(found.start, found.end).indexOf(':') + 1 : 0;
  return { type: 'key', rule: 'command-secret', start: found.start + login, end: found.end };
};

/** What makes `IDENTIFIED BY` a clause of SQL rather than a phrase. */
const SQL_BEFORE = /\b(?:user|role|login|grant|link|password|account)\b[^;]{0,120}$/i;

/** Verifies at SQL's `IDENTIFIED BY '…'`: quoted, or bare in a statement about an account. In backticks it is prose. */
export const verifyIdentifiedBy: Verify = (window, start, end) => {
  const code = window.at(end);
  if (code === 96 || (code !== 39 && code !== 34 && !SQL_BEFORE.test(window.left(start, 160)))) return undefined;
  return verifyDirective(window, start, end);
};

/** Verifies at a directive that a password follows: `requirepass …`. */
export const verifyDirective: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), WORD)) return undefined;
  const found = readArgument(window, end, 'separate');
  return found === undefined || window.text.slice(found.start, found.end).includes('***')
    ? undefined
    : { type: 'key', rule: 'command-secret', ...found };
};

function readOption(window: TextWindow, at: number, options: readonly CommandOption[]): Finding | undefined {
  for (const { option, style } of options) {
    if (window.peek(at, option.length) !== option) continue;
    const valueStart = startOfValue(window, at + option.length, style);
    const found = valueStart < 0 ? undefined : readArgument(window, valueStart, style);
    if (found !== undefined) return { type: 'key', rule: 'command-secret', ...found };
  }
  return undefined;
}

function startOfValue(window: TextWindow, at: number, style: CommandOption['style']): number {
  const code = window.at(at);
  if (style === 'attached') return code > 32 && code !== 45 ? at : -1;
  if (code !== 32 && code !== 61) return -1;
  return at + 1;
}

function readArgument(
  window: TextWindow,
  from: number,
  style: CommandOption['style'],
): { start: number; end: number; open?: number } | undefined {
  const quote = isIn(window.at(from), QUOTE) ? window.at(from) : -1;
  let start = quote < 0 ? from : from + 1;
  let end = start;
  while (end < start + LONGEST_ARGUMENT) {
    const code = window.at(end);
    if (
      code < 32 ||
      code === quote ||
      (quote < 0 && (code === 32 || isIn(code, QUOTE) || code === 59 || code === 124 || code === 41))
    )
      break;
    end++;
  }
  if (style === 'login') {
    const colon = window.text.slice(start, end).indexOf(':');
    if (colon < 0) return undefined;
    start += colon + 1;
  }
  const value = window.text.slice(start, end);
  const plain = /^[a-z]+$/i.test(value) && value.length < 6;
  if (
    value.length < 3 ||
    plain ||
    isPlaceholder(value) ||
    DEFAULT_WORDS.has(value.toLowerCase()) ||
    /^[/~.]/.test(value)
  )
    return undefined;
  if (style === 'attached' && !/[0-9!@#$%^&*]/.test(value) && value.length < 6) return undefined;
  return end < from + LONGEST_ARGUMENT ? { start, end } : { start, end, open: BARE_VALUE };
}
