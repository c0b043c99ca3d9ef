import { DASH, DOT, isIn, QUOTE, WORD } from './characters.ts';
import type { Verify } from './finding.ts';
import { isPlaceholder } from './placeholder.ts';
import { DEFAULT_WORDS } from './rules/secret-words.ts';
import type { TextWindow } from './text-window.ts';

/** How a command takes a secret: `-p value`, `-pvalue`, or `-u user:value`. */
export interface CommandOption {
  readonly command: string;
  readonly option: string;
  readonly style: 'separate' | 'attached' | 'login';
}

const LONGEST_COMMAND = 400;

/** Verifies at a command's name: looks along the command line for the option that carries the secret. */
export function commandVerifier({ option, style }: CommandOption): Verify {
  return (window, start, end) => {
    if (isIn(window.before(start - 1), WORD | DASH | DOT)) return undefined;
    for (let index = end - 1; index < end + LONGEST_COMMAND; index++) {
      const code = window.at(index);
      if (code < 0 || code === 96 || code === 124 || code === 59 || (code === 10 && window.before(index - 1) !== 92))
        return undefined;
      if (code !== 32 || window.at(index + 1) !== 45 || !window.text.startsWith(option, index + 1)) continue;
      const valueStart = startOfValue(window, index + 1 + option.length, style);
      const found = valueStart < 0 ? undefined : readArgument(window, valueStart, style);
      if (found !== undefined) return { type: 'key', rule: 'command-secret', ...found };
    }
    return undefined;
  };
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
): { start: number; end: number } | undefined {
  const quote = isIn(window.at(from), QUOTE) ? window.at(from) : -1;
  let start = quote < 0 ? from : from + 1;
  let end = start;
  while (end < start + 256) {
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
  return { start, end };
}
