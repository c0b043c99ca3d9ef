import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { compileRules } from './compile-rules.ts';
import { MaskMachine } from './mask-machine.ts';
import type { Repeats } from './repetition.ts';
import { chosen, drawn } from './rules/rule.ts';
import { wakingTexts } from './testing/hostile-families.ts';
import { READ_EVERYTHING } from './testing/read-everything.ts';
import { Scratch } from './text-window.ts';
import { MaskingBudgetExceeded } from './work-budget.ts';

const rules = compileRules({ knownValues: ['Zk7-Qp/3x+Lm9w'], maskHosts: ['kopi.example'] });
const scratch = new Scratch();

function maskWith(text: string, piece: number, repetition?: Repeats) {
  const machine = new MaskMachine(rules, scratch, true, undefined, repetition);
  let output = '';
  for (let from = 0; from < text.length; from += piece)
    output += machine.feed(text.slice(from, from + piece), from + piece >= text.length);
  return { text: output, spans: machine.spans, work: machine.work };
}

function maskUnlessRefused(text: string) {
  try {
    return maskWith(text, text.length, READ_EVERYTHING);
  } catch (error) {
    if (error instanceof MaskingBudgetExceeded) return undefined;
    throw error;
  }
}

const PIECES = [
  ...[
    'a ',
    '\n',
    '. ',
    'x',
    '1',
    ' = ',
    ': "',
    '", ',
    "'",
    '|',
    '\n\n',
    '| password |\n|---|\n| ',
    '***',
    '`',
    '{',
    '(',
  ],
  ...[
    chosen,
    drawn,
    '10.0.0.7',
    'https://api.kopi.example/v1',
    'Zk7-Qp/3x+Lm9w',
    `curl -u budi:${chosen} x`,
    '***API_KEY***',
  ],
];

const HEADINGS = [
  '| user | password |\n|---|---|\n',
  'a | token\n--|--\n',
  '| login | version | PIN |\n|---|---|---|\n',
  '| a | b |\n|---|---|\n',
];
const CELLS = [' | ', '|', ' |\n| ', '|\n', '\n', '\n\n', ' 482913 ', ' admin / ', '\\|', 'x', ' ', chosen, drawn];

/** Rows of tables, and what is no row, under headings of secrets and others. */
function drawTables(random: () => number): string {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const anchors = wakingTexts();
  let text = '';
  for (let part = 0; part < 3; part++) {
    const cells = Array.from({ length: 2 + Math.floor(random() * 8) }, () => pick(random() < 0.8 ? CELLS : anchors));
    const unit = (random() < 0.3 ? pick(HEADINGS) : '') + (random() < 0.5 ? '| ' : '') + cells.join('');
    text += (random() < 0.8 ? pick(HEADINGS) : '') + unit.repeat(Math.ceil((2_000 + random() * 3_000) / unit.length));
  }
  return text;
}

const COMMANDS = [
  ...[
    '7za ',
    '-passout ',
    'pass:',
    'chpasswd:\n ',
    'f:f:f: ',
    'mysql ',
    'curl ',
    '-u a:b ',
    'sshpass ',
    'htpasswd -b x ',
  ],
  ...['passwords=[', 'echo ', ' | sudo -S ', '--password ', ' -p', ' ', '\n', 'x', "'", '",', '(', '-'],
  ...[chosen, drawn, `-p${chosen}`, `"${drawn}", `, `-u budi:${chosen} `, '10.0.0.7 '],
];

/** Command lines again and again: what one finds lies ahead, often behind the next of them. */
function drawCommands(random: () => number): string {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  let text = '';
  for (let part = 0; part < 3; part++) {
    const unit = Array.from({ length: 2 + Math.floor(random() * 6) }, () => pick(COMMANDS)).join('');
    const body = unit.repeat(Math.ceil((2_000 + random() * 4_000) / unit.length));
    const at = Math.floor(random() * body.length);
    text += random() < 0.6 ? body : `${body.slice(0, at)}${pick(COMMANDS)}${body.slice(at + 1)}`;
  }
  return text;
}

/** A text of a few units, each repeated some hundred times, in which now and then a character is another. */
function drawText(random: () => number): string {
  const anchors = wakingTexts();
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  let text = '';
  for (let part = 0; part < 3; part++) {
    const unit = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
      pick(random() < 0.4 ? anchors : PIECES),
    ).join('');
    const body = unit.repeat(Math.ceil((3_000 + random() * 6_000) / unit.length));
    const at = Math.floor(random() * body.length);
    text += random() < 0.5 ? body : `${body.slice(0, at)}${pick(PIECES)}${body.slice(at + 1)}`;
  }
  return text;
}

describe('text that repeats itself', () => {
  test('is masked as it is where reading on depended on where the reading before had ended', () => {
    const text = `${'/TRIGGERS/'.repeat(399)}${'plaid'.repeat(65)}${chosen}${'plaid'.repeat(1_400)} at api.kopi.example`;
    const read = maskWith(text, text.length, READ_EVERYTHING);
    const compared = maskWith(text, text.length);
    expect(compared.spans).toEqual(read.spans);
    expect(compared.text === read.text).toBe(true);
  });

  test.each([
    ['', drawText, 22, 100, 40],
    ['in tables ', drawTables, 22, 100, 50],
    // In one of these a command was not read because the same one before it had given up early.
    ['in command lines ', drawCommands, 26, 100, 40],
  ])('%sis masked as if every repetition were read', (_where, drawOne, seed, texts, fewestSaved) => {
    const random = seededRandom(Number(process.env.REPETITION_SEED ?? seed));
    let saved = 0;
    for (let tried = 0; tried < texts; tried++) {
      const text = drawOne(random);
      const read = maskUnlessRefused(text);
      // What would be refused if it were read is masked where it is compared: there is nothing to compare it with.
      if (read === undefined) continue;
      const compared = maskWith(text, text.length);
      const piece = 700 + Math.floor(random() * 3_000);
      // Compared as values: thousands of repetitions in a report help nobody.
      expect(compared.text === read.text).toBe(true);
      expect(JSON.stringify(compared.spans) === JSON.stringify(read.spans)).toBe(true);
      expect(maskWith(text, piece).text === read.text).toBe(true);
      if (compared.work < read.work / 2) saved++;
    }
    // Else nothing was recognised, and nothing tested.
    expect(saved).toBeGreaterThan(fewestSaved);
  });
});
