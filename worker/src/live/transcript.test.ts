import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createMasker } from '../masking/mask.ts';
import type { ModelPart } from '../model/language-model.ts';
import { SecretShown } from './masked-track.ts';
import { type Piece, Transcript } from './transcript.ts';

const KNOWN = 'Zk7-Qp/3x+Lm9w';
const masker = createMasker({ knownValues: [KNOWN] });
const TOKEN = ['ghp', 'A1b2C3d4E5F6'.repeat(3)].join('_');
/** Secrets that only an answer could hold, and what each is masked to. */
const SECRETS = [
  TOKEN,
  'postgres://ana:kopi2024@10.9.8.7:5432/shop',
  '10.1.2.3',
  KNOWN,
  'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
];

const word = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('the', 'model', 'writes', '\n', 'a list:', '- one', '漢字', '🌐', 'é', '"q"'),
  },
  { weight: 2, arbitrary: fc.constantFrom('password=', 'key: ', 'http://', '(', ')', 'version ', '.', ', ') },
  { weight: 1, arbitrary: fc.constantFrom(...SECRETS) },
);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(' ', '', ' ', '\n')), { maxLength: 40 })
  .map((words) => words.flat().join(''));

const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 500) };

/** Cut anywhere, surrogate pairs included. */
function cut(whole: string, points: readonly number[]): string[] {
  const cuts = points.map((point) => point % (whole.length + 1)).sort((a, b) => a - b);
  return [0, ...cuts].map((from, index) => whole.slice(from, cuts[index] ?? whole.length));
}

/** All that a transcript gives, masked after each part where `eager`, else in one go. */
function piecesOf(parts: readonly ModelPart[], eager: boolean) {
  const transcript = new Transcript(masker, true);
  const pieces: Piece[] = [];
  for (const part of parts) {
    transcript.add(part);
    if (!eager) continue;
    while (transcript.advance());
    pieces.push(...transcript.take());
  }
  transcript.end();
  while (transcript.advance());
  pieces.push(...transcript.take());
  return { transcript, pieces };
}

const joined = (pieces: readonly Piece[], track: Piece['track']) =>
  pieces
    .filter((piece) => piece.track === track)
    .reduce((sum, { offset, data }) => {
      expect(offset).toBe(sum.length);
      return sum + data;
    }, '');

describe('a transcript', () => {
  test('gives what the whole answer masked is, whatever the pieces, in order and with their offsets', () => {
    fc.assert(
      fc.property(
        text,
        text,
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.boolean(),
        (reasoning, answer, points, eager) => {
          const parts: ModelPart[] = [
            ...cut(reasoning, points).map((piece) => ({ kind: 'reasoning' as const, text: piece })),
            ...cut(answer, points).map((piece) => ({ kind: 'text' as const, text: piece })),
          ];
          const { transcript, pieces } = piecesOf(parts, eager);
          const [maskedReasoning, maskedAnswer] = [reasoning, answer].map((whole) => masker.mask(whole));
          expect(joined(pieces, 'text')).toBe(maskedAnswer?.text);
          expect(joined(pieces, 'reasoning')).toBe(maskedReasoning?.text);
          expect([transcript.text, transcript.reasoning]).toEqual([maskedAnswer?.text, maskedReasoning?.text]);
          const counts = { url: 0, key: 0, ip: 0, connection: 0 };
          for (const masked of [maskedReasoning, maskedAnswer])
            for (const { type } of masked?.spans ?? []) counts[type]++;
          expect(transcript.counts).toEqual(counts);
          // Each is part of the masked whole, so none holds a fragment of a secret.
          for (const { data } of pieces) expect(data.isWellFormed()).toBe(true);
        },
      ),
      runs,
    );
  });

  test('that is cut off gives a beginning of the masked whole: nothing that was withheld comes at the cut', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { minLength: 1, maxLength: 20 }), (answer, points) => {
        const pieces = cut(answer, points).slice(0, -1);
        const transcript = new Transcript(masker, true);
        for (const piece of pieces) transcript.add({ kind: 'text', text: piece });
        while (transcript.advance());
        const whole = masker.mask(answer).text;
        expect(whole.slice(0, transcript.text.length)).toBe(transcript.text);
      }),
      runs,
    );
  });

  test('gives the end of the reasoning before the answer begins, and of the text before a call', () => {
    const call = { id: 'call_1', name: 'look', arguments: '{"at":"10.1.2.3"}' };
    const { pieces } = piecesOf(
      [
        { kind: 'reasoning', text: 'So it is 42.' },
        { kind: 'text', text: 'Look at' },
        { kind: 'call', call },
      ],
      true,
    );
    expect(pieces).toEqual([
      { track: 'reasoning', offset: 0, data: expect.any(String) },
      { track: 'reasoning', offset: expect.any(Number), data: expect.stringMatching(/42\.$/) },
      { track: 'text', offset: 0, data: expect.any(String) },
      { track: 'text', offset: expect.any(Number), data: 'at' },
      { track: 'call', offset: 0, data: JSON.stringify({ ...call, arguments: '{"at":"***IP_ADDRESS***"}' }) },
    ]);
  });

  test('goes on with a track that another one interrupted, and is masked as a whole all the same', () => {
    const parts = ['Read ', 'on, the password is ', 'Kopi2024x now'].flatMap((piece): ModelPart[] => [
      { kind: 'reasoning', text: piece },
      { kind: 'text', text: 'x ' },
    ]);
    const { transcript, pieces } = piecesOf(parts, true);
    expect(transcript.reasoning).toBe('Read on, the password is ***API_KEY*** now');
    expect(joined(pieces, 'reasoning')).toBe(transcript.reasoning);
    expect(transcript.counts.key).toBe(1);
  });

  test('refuses an answer in which a secret is cut by another track: its beginning was given', () => {
    const parts: ModelPart[] = [
      { kind: 'reasoning', text: `It is ${TOKEN.slice(0, 9)}` },
      { kind: 'text', text: 'Well: ' },
      { kind: 'reasoning', text: TOKEN.slice(9) },
    ];
    expect(() => piecesOf(parts, true)).toThrow(SecretShown);
  });

  test('masks what has come together at once: neighbours of a kind are one', () => {
    const transcript = new Transcript(masker, true);
    for (const token of ['a', ' b', ' c', ' ']) transcript.add({ kind: 'text', text: token });
    expect(transcript.advance()).toBe(false);
    expect(transcript.take()).toEqual([{ track: 'text', offset: 0, data: 'a b c ' }]);
  });

  test('takes from the whole answer the tracks of which nothing came, and no other', () => {
    const transcript = new Transcript(masker, true);
    transcript.add({ kind: 'text', text: 'came' });
    const call = { id: '1', name: 'f', arguments: '{}' };
    expect(transcript.missingOf({ text: 'came', reasoning: 'did not', toolCalls: [call] })).toEqual([
      { kind: 'reasoning', text: 'did not' },
      { kind: 'call', call },
    ]);
  });

  test('of an endpoint with a persona has text alone', () => {
    const transcript = new Transcript(masker, false);
    transcript.add({ kind: 'reasoning', text: 'hm' });
    transcript.add({ kind: 'call', call: { id: '1', name: 'f', arguments: '{}' } });
    expect(transcript.isBehind).toBe(false);
  });

  test('shows nothing of a secret while the model is silent in the middle of it, and all that is left at the end', () => {
    for (let length = 1; length <= TOKEN.length; length++) {
      const transcript = new Transcript(masker, true);
      transcript.add({ kind: 'text', text: `It is ${TOKEN.slice(0, length)}` });
      while (transcript.advance());
      expect('It is ***API_KEY***'.startsWith(transcript.text)).toBe(true);
      transcript.end();
      while (transcript.advance());
      expect(transcript.text).toBe(masker.mask(`It is ${TOKEN.slice(0, length)}`).text);
    }
  });

  test('takes tens of thousands of calls and changes of track', () => {
    const transcript = new Transcript(masker, true);
    for (let number = 0; number < 20_000; number++) {
      transcript.add({ kind: 'call', call: { id: `c${number}`, name: 'f', arguments: '{}' } });
      transcript.add({ kind: 'text', text: 'x ' });
    }
    transcript.end();
    while (transcript.advance()) transcript.take();
    expect(transcript.calls).toHaveLength(20_000);
    expect(transcript.text).toHaveLength(40_000);
  });

  test('withholds at most 300 characters of clean prose', () => {
    const prose = 'Install the package and restart the service, then look at the log of it for errors. '.repeat(60);
    const transcript = new Transcript(masker, true);
    let came = 0;
    for (const token of prose.match(/\s?\S+/g) ?? []) {
      transcript.add({ kind: 'text', text: token });
      came += token.length;
      transcript.advance();
      expect(came - transcript.text.length).toBeLessThanOrEqual(300);
    }
  });
});
