import { describe, expect, test } from '@jest/globals';
import { anyCharacter } from '@lontar/shared/testing/any-character.ts';
import * as fc from 'fast-check';
import { AnswerGatherer } from '../answer-gatherer.ts';
import { AnswerTooLargeError } from '../capped-fetch.ts';
import { ModelError, type ModelPart } from '../language-model.ts';
import { UpstreamRefusal } from '../upstream-refusal.ts';
import { EmptyStreamError, ResponseReader } from './response-reader.ts';

const CHAT = { messages: [{ role: 'user' as const, content: 'Hello.' }] };

function read(pieces: readonly Uint8Array[], contentType: string, status = 200) {
  const parts: ModelPart[] = [];
  const gatherer = new AnswerGatherer(CHAT, 100_000, (part) => parts.push(part));
  const reader = new ResponseReader(gatherer, 100_000, () => undefined);
  reader.begin(status, { 'content-type': contentType });
  for (const piece of pieces) if (reader.read(Buffer.from(piece)) === 'complete') break;
  return { result: reader.end(), parts };
}

function cutUp(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

/** Any UTF-16 units, halves of pairs among them. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0xd83d, 0xde00, 10, 13, 34, 92, 0x2028)))
  .map((units) => String.fromCharCode(...units));
const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

test('what is streamed is what would be answered in one piece, whatever is cut where', () => {
  fc.assert(
    fc.property(anyText, anyText, lengths, lengths, (text, reasoning, textLengths, byteLengths) => {
      const said = `${text}.`;
      const chunksOf = (whole: string, field: string) => {
        const units = Array.from({ length: whole.length }, (_, at) => whole.charCodeAt(at));
        const slices = cutUp(
          Uint8Array.from(units.keys(), (at) => at % 256),
          textLengths,
        );
        let at = 0;
        return slices.map(({ length }) => {
          const delta = { [field]: whole.slice(at, at + length) };
          at += length;
          return `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
        });
      };
      const events = [
        ...chunksOf(reasoning, 'reasoning_content'),
        ...chunksOf(said, 'content'),
        'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      ];
      const streamed = read(cutUp(Buffer.from(events.join('')), byteLengths), 'text/event-stream');
      const message = { content: said, reasoning_content: reasoning };
      const whole = Buffer.from(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }));
      const { result } = read(cutUp(whole, byteLengths), 'application/json');
      expect(result.text).toBe(said.toWellFormed());
      expect({ ...streamed.result, usage: 0 }).toEqual({ ...result, usage: 0 });
      const joined = (kind: 'text' | 'reasoning') =>
        streamed.parts.map((part) => (part.kind === kind ? part.text : '')).join('');
      expect(joined('text')).toBe(result.text);
      expect(joined('reasoning')).toBe(result.reasoning ?? '');
    }),
    { numRuns: 500 },
  );
});

/** JSON of any shape under the names that are looked at. */
const anyChunk = fc.dictionary(
  fc.constantFrom('choices', 'delta', 'message', 'content', 'error', 'usage', 'tool_calls', 'index', 'function', 'id'),
  fc.jsonValue({ maxDepth: 3 }),
);
const nested = fc.record(
  {
    choices: fc.oneof(fc.array(fc.oneof(anyChunk, fc.record({ delta: anyChunk, message: anyChunk }))), fc.jsonValue()),
    error: fc.jsonValue(),
    usage: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

test('whatever an upstream sends ends as an answer, or as one of four errors', () => {
  const body = fc.oneof(
    fc.string({ unit: anyCharacter }),
    nested.map((chunk) => JSON.stringify(chunk)),
    fc.array(nested).map((chunks) => chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')),
  );
  const types = fc.constantFrom('text/event-stream', 'application/json', 'text/html; charset=nothing', '');
  const statuses = fc.constantFrom(200, 204, 302, 400, 429, 500);
  fc.assert(
    fc.property(body, types, statuses, lengths, (text, contentType, status, byteLengths) => {
      try {
        const { result } = read(cutUp(Buffer.from(text), byteLengths), contentType, status);
        expect(result.text.isWellFormed()).toBe(true);
      } catch (error) {
        const isKnown = [ModelError, UpstreamRefusal, AnswerTooLargeError, EmptyStreamError].some(
          (known) => error instanceof known,
        );
        if (!isKnown) throw error;
      }
    }),
    { numRuns: 1_000 },
  );
});

test('the end that a server names in each chunk is waited for anew with each token, and not with comments', () => {
  const reader = new ResponseReader(new AnswerGatherer(CHAT, 100_000), 100_000, () => undefined);
  reader.begin(200, { 'content-type': 'text/event-stream' });
  const read = (bytes: string) => reader.read(Buffer.from(bytes));
  const saying = (content: string) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] })}\n\n`;
  expect(['Hi', ' there', '!'].map((word) => read(saying(word)))).toEqual([
    'rest is optional',
    'more after all',
    'more after all',
  ]);
  expect([read(': x\n\n'), read('data: [DONE]\n\n')]).toEqual(['rest is optional', 'complete']);
  expect(reader.end()).toMatchObject({ text: 'Hi there!', finishReason: 'stop' });
});

describe('the JSON of a long text', () => {
  const LONG = 'A "leaf" of palm,\n'.repeat(2_000);
  const bodyOf = (literal: string, more = '') =>
    `{"choices":[{"index":0,"message":{"role":"assistant","content": ${literal}${more}},"finish_reason":"stop"}]}`;
  const literalOf = (body: string) => read([Buffer.from(body)], 'application/json').result.literal;

  test.each([
    ['as it is mostly written', JSON.stringify(LONG), LONG],
    ['with escapes of its own', JSON.stringify(`${LONG}/`).replace('/', '\\/\\u0041'), `${LONG}/A`],
    ['beyond ASCII', JSON.stringify(`${LONG}é 漢 \u{1F600}`), `${LONG}é 漢 \u{1F600}`],
  ])('is kept %s', (_, json, text) => {
    expect(literalOf(bodyOf(json))).toEqual({ text, json: Buffer.from(json) });
  });

  test('is the last of two under one name, as its text is', () => {
    const last = '"of the last one"';
    const body = bodyOf(JSON.stringify(`x${LONG}`), `,"content":${last}`);
    const { result } = read([Buffer.from(body)], 'application/json');
    const text = JSON.parse(last) as string;
    expect(result).toMatchObject({ text, literal: { text, json: Buffer.from(last) } });
  });

  test('is of another text than the answer where half of a pair stands in it', () => {
    const { text, literal } = read(
      [Buffer.from(bodyOf(`"${'leaf '.repeat(4_000)}\\ud800."`))],
      'application/json',
    ).result;
    expect(text.endsWith('\ufffd.')).toBe(true);
    expect(literal?.text).not.toBe(text);
  });

  test.each([
    ['of a short one', '"short"'],
    ['where all that is not ASCII is escaped', `"${'\\u6f22'.repeat(5_000)}"`],
  ])('is not kept %s', (_, json) => {
    expect(literalOf(bodyOf(json))).toBeUndefined();
  });

  test('is none where the body is none', () => {
    expect(() => literalOf(bodyOf(`"${LONG}`))).toThrow(ModelError);
  });
});

test.each([0, 10, 3_000, 70_000, 90_000, -5, 1.5, 'x'])(
  'an answer is read whole whatever its head says of its length: %s',
  (length) => {
    const gatherer = new AnswerGatherer(CHAT, 100_000);
    const reader = new ResponseReader(gatherer, 100_000, () => undefined);
    reader.begin(200, { 'content-type': 'application/json', 'content-length': String(length) });
    const content = 'leaf '.repeat(14_000);
    const body = Buffer.from(JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }] }));
    for (const piece of cutUp(body, [20_000, 7])) reader.read(piece as Buffer);
    expect(reader.end().text).toBe(content);
  },
);
