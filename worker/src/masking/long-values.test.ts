import { expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { compileRules } from './compile-rules.ts';
import { MaskMachine } from './mask-machine.ts';
import { draw } from './testing/drawn.ts';
import { Scratch } from './text-window.ts';

const rules = compileRules();
const scratch = new Scratch();
const random = seededRandom(7);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function masked(text: string, size: number): string {
  const machine = new MaskMachine(rules, scratch, false);
  let output = '';
  for (let from = 0; from < text.length; from += size) output += machine.feed(text.slice(from, from + size), false);
  return output + machine.feed('', true);
}

/** Every limit a verifier has lies between two of these lengths. */
const LENGTHS = [60, 255, 256, 257, 400, 511, 512, 513, 1023, 2047, 2048, 2049, 4097, 20_000];

test.each<[string, string, string]>([
  ['a vendor token', 'key sk-proj-', ' end'],
  ['an assignment', 'password: ', ' end'],
  ['a sentence', 'the token is ', ', ok'],
  ['JSON', '"secret": "', '" }'],
  ['a header', 'Authorization: Bearer ', '\nX: y'],
  ['a table', '| a | key |\n|---|---|\n| b | ', ' |\n| c | d |'],
  ['a command', 'curl -u a:', ' x'],
  ['a connection string', ['postgres', '://a:'].join(''), '@db/x end'],
  ['a URL', 'https://u:', '@h.example/x z'],
  ['a webhook', 'https://hooks.slack.com/services/T1/B2/', ' end'],
  ['pairs', 'Server=a;Database=b;Password=', ';x'],
])('a value of any length in %s leaves no tail, whole or in pieces', (_name, before, after) => {
  for (const length of LENGTHS) {
    const value = draw(random, length, ALPHABET);
    const text = before + value + after;
    const whole = masked(text, text.length);
    for (let from = 0; from + 24 <= length; from += 8) expect(whole.includes(value.slice(from, from + 24))).toBe(false);
    expect(masked(text, 1000)).toBe(whole);
    expect(masked(text, 313)).toBe(whole);
  }
});
