import { describe, expect, test } from '@jest/globals';
import { type AnswerInParts, joinText, withJsonOfText } from './known-literal.ts';
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

const join = ({ settlement, textJson }: AnswerInParts) =>
  settlement.outcome === 'answered' && textJson ? joinText(settlement, textJson).toString() : '';

describe('an answer whose text is there as JSON', () => {
  test.each(['plain', 'a "quoted" \\ word\n', 'é 漢字 \u{1F600}', '"text":""'])(
    'is stored as any other: %j',
    (text) => {
      const parts = withJsonOfText(answered(text), { text, json: Buffer.from(JSON.stringify(text)) });
      expect(parts.settlement).toEqual(answered(''));
      expect(join(parts)).toBe(writeSettlement(answered(text)));
    },
  );

  test('may have other escapes than ours, and reads the same', () => {
    const text = 'https://é <b>\u2028';
    const json = Buffer.from('"https:\\/\\/\\u00E9 \\u003cb>\u2028"');
    const stored = join(withJsonOfText(answered(text), { text, json }));
    expect(parseSettlement(stored)).toEqual(answered(text));
    expect(stored).toContain('\\u003cb>');
  });

  test('keeps its own text where that is another', () => {
    const literal = { text: 'of the model', json: Buffer.from('"of the model"') };
    expect(withJsonOfText(answered('masked'), literal)).toEqual({ settlement: answered('masked') });
    expect(withJsonOfText(answered('masked'), undefined)).toEqual({ settlement: answered('masked') });
  });

  test('is not lost where its fields have another order', () => {
    const text = 'of the "model"';
    const { text: none, ...others } = answered('');
    const joined = joinText({ ...others, text: none }, Buffer.from(JSON.stringify(text)));
    expect(parseSettlement(joined)).toEqual(answered(text));
  });
});
