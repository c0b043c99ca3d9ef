import { describe, expect, test } from '@jest/globals';
import { writeJson } from '../json-bytes.ts';
import { type Answered, parseSettlement, writeSettlement } from './settlement.ts';
import { beginningAsJson, splitText, textAsJson } from './text-literal.ts';

const answered = (text: string, more: Partial<Answered> = {}): Answered => ({
  v: 1,
  outcome: 'answered',
  text,
  masked: { url: 0, key: 1, ip: 0, connection: 0 },
  usage: { input: 1, output: 2 },
  work: { attempts: 1, queuedMs: 2, modelMs: 3, maskMs: 0.5, promptPreview: 'said "text":"so"' },
  ...more,
});

const TEXTS = [
  '',
  'plain',
  '"',
  '\\',
  '\\"',
  '\\\\"\\',
  'a "quoted" word, a \\"quoted\\" one, and "text":"x"',
  '\n\t\r\b\f\u0000\u001f\u007f\u2028',
  'é 漢字 \u{1F600}',
  '\ud800 alone',
  '"'.repeat(100),
  '\\'.repeat(101),
];

describe('the text of an answer that was read', () => {
  test.each(TEXTS)('is what was written: %j', (text) => {
    const settlement = answered(text, { reasoning: 'why "so"', finishReason: 'length' });
    const json = writeSettlement(settlement);
    // Workers' answers go the short way: where the order of their fields changes, this fails.
    expect(splitText(json)?.literal).toBe(JSON.stringify(text));
    const read = parseSettlement(json) as Answered;
    expect(read).toEqual(settlement);
    expect({ ...read }).toEqual(settlement);
    expect(writeSettlement(read)).toBe(json);
    expect(JSON.stringify({ result: textAsJson(read), after: 1 })).toBe(JSON.stringify({ result: text, after: 1 }));
  });

  test.each(TEXTS)('is what was written where it came as bytes: %j', (text) => {
    const settlement = answered(text, { reasoning: 'why "so"', finishReason: 'length' });
    const bytes = Buffer.from(writeSettlement(settlement));
    const split = splitText(bytes);
    expect(Buffer.isBuffer(split?.literal) && split.literal.toString()).toBe(JSON.stringify(text));
    const read = parseSettlement(bytes) as Answered;
    expect(read).toEqual(settlement);
    expect({ ...read }).toEqual(settlement);
    expect({ ...read, text: 'new' }).toEqual({ ...settlement, text: 'new' });
    expect(textAsJson({ ...read, text: 'new' })).toBe('new');
    expect(writeSettlement(read)).toBe(bytes.toString());
    const pieces = [writeJson({ result: textAsJson(read), after: 1 })].flat();
    expect(pieces).toHaveLength(3);
    expect(pieces.map(String).join('')).toBe(JSON.stringify({ result: text, after: 1 }));
  });

  test('may stand anywhere in the bytes of other versions, and of failures there is none', () => {
    const { text, ...others } = answered('of "old" 漢');
    expect(parseSettlement(Buffer.from(JSON.stringify({ ...others, text })))).toEqual(answered('of "old" 漢'));
    const failed = { v: 1, outcome: 'failed', error: 'timed_out' } as const;
    expect(parseSettlement(Buffer.from(writeSettlement(failed)))).toEqual(failed);
  });

  test.each(['a",', '",', ',', '","', 'x\\",'])('ends where it ends: %j', (text) => {
    const json = writeSettlement(answered(text));
    expect(splitText(json)?.literal).toBe(JSON.stringify(text));
    expect(splitText(Buffer.from(json))?.literal.toString()).toBe(JSON.stringify(text));
  });

  test('is that of a copy where a copy has another', () => {
    const read = parseSettlement(writeSettlement(answered('of old'))) as Answered;
    expect(textAsJson({ ...read, text: 'new' })).toBe('new');
    expect(textAsJson({ ...read })).toBe('of old');
  });

  test('may stand anywhere in the JSON of other versions', () => {
    const { text, ...others } = answered('of "old"');
    const json = JSON.stringify({ ...others, text });
    expect(splitText(json)).toBeUndefined();
    const read = parseSettlement(json) as Answered;
    expect(read).toEqual(answered('of "old"'));
    expect(JSON.stringify(textAsJson(read))).toBe('"of \\"old\\""');
  });

  test.each([
    '{"v":1,"outcome":"answered","text":"never ends',
    '{"v":1,"outcome":"answered","text":"ends\\"}',
    '{"v":1,"outcome":"answered","text":1,"masked":{}}',
    '{"v":1,"outcome":"answered","text":"x"}',
    '{"v":1,"outcome":"answered","text":"x" "masked":{}}',
  ])('is none where the JSON is no settlement: %s', (json) => {
    expect(parseSettlement(json)).toBeUndefined();
    expect(parseSettlement(Buffer.from(json))).toBeUndefined();
  });
});

describe('the beginning of the text', () => {
  const read = (text: string) => parseSettlement(writeSettlement(answered(text))) as Answered;
  const readBytes = (text: string) => parseSettlement(Buffer.from(writeSettlement(answered(text)))) as Answered;
  const LONG = [
    ...TEXTS,
    'x'.repeat(30),
    '\u0001'.repeat(40),
    'a\\'.repeat(20),
    '漢\n"'.repeat(15),
    '\u{1F600}'.repeat(20),
    'line\n\t"\\'.repeat(20),
    `${'\n'.repeat(25)}\u{1F600}`,
    `${'x\n'.repeat(20)}\uD83D`,
  ];

  test.each(LONG)('is cut at every length as the text itself is: %j', (text) => {
    for (let most = 0; most <= text.length + 2; most++) {
      const whole = text.length <= most;
      const expected = whole ? text : `${text.slice(0, most).toWellFormed()}…`;
      expect(JSON.parse(JSON.stringify(beginningAsJson(read(text), most)))).toBe(expected);
      expect(JSON.parse(JSON.stringify(beginningAsJson(readBytes(text), most)))).toBe(expected);
      expect(beginningAsJson(answered(text), most)).toBe(expected);
    }
  });

  test.each([String.raw`\u0041`, String.raw`\ud83d\ude00`, String.raw`\/`, String.raw`\ud83d`])(
    'is that of what a server wrote with escapes: %s',
    (escape) => {
      const literal = `"${`${escape}a\\n`.repeat(20)}"`;
      const text = JSON.parse(literal) as string;
      const json = writeSettlement(answered('')).replace('""', () => literal);
      for (let most = 0; most <= text.length + 2; most++) {
        const expected = text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
        for (const form of [json, Buffer.from(json)]) {
          const settlement = parseSettlement(form) as Answered;
          expect(JSON.parse(JSON.stringify(beginningAsJson(settlement, most)))).toBe(expected);
        }
      }
    },
  );

  test('is refused where what was taken for a literal is none', () => {
    const json = writeSettlement(answered('')).replace('""', () => `"${'a'.repeat(20)}\\x${'b'.repeat(9_000)}"`);
    expect(() => beginningAsJson(parseSettlement(Buffer.from(json)) as Answered, 100)).toThrow(SyntaxError);
  });
});
