import { generator } from './generators.ts';

/** What a template becomes for one seed. */
export interface FilledText {
  readonly text: string;
  /** The values that a masker must not let through. */
  readonly secrets: readonly string[];
  /** The lines, each with its end, that hold no part of a secret. */
  readonly cleanLines: readonly string[];
}

const SLOT = /⟪(!?)(?:([a-z]):=)?(@[a-z]|[^⟪⟫]*)⟫/g;
const INNERMOST =
  /\{(an|al|lo|lc|up|b32|b58|hex|HEX|num|url|b64|pw|uuid|jwt|pem|esc|enc|encurl|pct|chr)(\d*)(?::([^{}]*))?\}/;

/**
 * Fills the slots of a case's text; the same seed gives the same values. `⟪!…⟫` must be gone from the masked text, `⟪…⟫`
 * is a value that is no secret, `⟪!a:=…⟫` is remembered and stands again at `⟪@a⟫`; a `⟪⟫` is nothing, and keeps
 * scanners of the repository from reading the two sides as one word. Inside, `{an36}` is 36 letters and digits: see
 * generators.ts for all classes.
 */
export function fillSlots(template: string, seed: string): FilledText {
  const make = generator(seed);
  const remembered = new Map<string, string>();
  const secrets: string[] = [];
  const ranges: [number, number][] = [];
  let text = '';
  let from = 0;
  for (const slot of template.matchAll(SLOT)) {
    const [whole, mark, name, content = ''] = slot;
    text += template.slice(from, slot.index);
    from = slot.index + whole.length;
    const value = content.startsWith('@') ? recall(remembered, content.slice(1)) : expand(content, make);
    if (name !== undefined) remembered.set(name, value);
    if (mark === '!' || secrets.includes(value)) {
      if (!secrets.includes(value)) secrets.push(value);
      ranges.push([text.length, text.length + value.length]);
    }
    text += value;
  }
  text += template.slice(from);
  return { text, secrets, cleanLines: linesOutside(text, ranges) };
}

function expand(content: string, make: ReturnType<typeof generator>): string {
  let text = content;
  for (let found = INNERMOST.exec(text); found !== null; found = INNERMOST.exec(text)) {
    const [whole, kind = '', length = '', argument = ''] = found;
    const value = make(kind, Number(length), argument);
    text = text.slice(0, found.index) + value + text.slice(found.index + whole.length);
  }
  return text;
}

function recall(remembered: ReadonlyMap<string, string>, name: string): string {
  const value = remembered.get(name);
  if (value === undefined) throw new Error(`No slot named ${name} stands before ⟪@${name}⟫.`);
  return value;
}

function linesOutside(text: string, ranges: readonly (readonly [number, number])[]): string[] {
  const lines: string[] = [];
  let start = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const end = start + line.length;
    if (!ranges.some(([first, last]) => first < end && last > start)) lines.push(line);
    start = end;
  }
  return lines;
}
