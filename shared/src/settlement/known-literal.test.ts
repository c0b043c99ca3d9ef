import { describe, expect, test } from '@jest/globals';
import { joinText } from './known-literal.ts';
import { type Answered, parseSettlement, writeSettlement } from './settlement.ts';

const answered = (text: string): Answered => ({
  v: 1,
  outcome: 'answered',
  text,
  finishReason: 'length',
  masked: { url: 0, key: 1, ip: 0, connection: 0 },
  usage: { input: 1, output: 2 },
  work: { attempts: 1, queuedMs: 2, modelMs: 3, maskMs: 0.5, promptPreview: 'said "text":""' },
});

describe('an answer whose text is there as JSON', () => {
  test.each(['plain', 'a "quoted" \\ word\n', 'é 漢字 \u{1F600}', '"text":""'])(
    'is stored as any other: %j',
    (text) => {
      const joined = joinText(answered(text), { text, json: Buffer.from(JSON.stringify(text)) });
      expect(joined?.toString()).toBe(writeSettlement(answered(text)));
    },
  );

  test('may have other escapes than ours, and reads the same', () => {
    const text = 'https://é <b>\u2028';
    const json = Buffer.from('"https:\\/\\/\\u00E9 \\u003cb>\u2028"');
    const stored = joinText(answered(text), { text, json })?.toString() ?? '';
    expect(parseSettlement(stored)).toEqual(answered(text));
    expect(stored).toContain('\\u003cb>');
  });

  test('is written without it where the text is another, or the fields have another order', () => {
    const literal = { text: 'of the model', json: Buffer.from('"of the model"') };
    expect(joinText(answered('masked'), literal)).toBeUndefined();
    const { text, ...others } = answered(literal.text);
    expect(joinText({ ...others, text }, literal)).toBeUndefined();
  });
});
