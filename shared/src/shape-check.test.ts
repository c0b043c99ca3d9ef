import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { generationJobSchema } from './generation-job.ts';
import { requestEventSchema } from './request-event.ts';
import { newRequestId } from './request-id.ts';
import { storedSettlementSchema } from './settlement/settlement.ts';
import { readerOf, shapeCheck } from './shape-check.ts';

const job = {
  v: 1,
  endpoint: '/api/ai',
  model: 'ai-2.5-flash',
  id: newRequestId(),
  keyId: 'AbCdEfGh',
  gateway: 'gw-1',
  receivedAt: 1_700_000_000_000,
  deadlineAt: 1_700_000_060_000,
  prompt: 'Hello',
  temperature: 0.7,
  maxOutputTokens: 8_192,
  policy: { mask: ['url', 'ip'], keepOwn: true },
};
const chat = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'image', url: 'data:,' },
      ],
    },
    { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'b', arguments: '{}' }] },
    { role: 'tool', toolCallId: 'a', content: '1' },
  ],
  temperature: 0.2,
  stop: ['x'],
  toolChoice: { name: 'b' },
};
const { prompt: _prompt, temperature: _temperature, ...withoutPrompt } = job;
const work = { attempts: 1, queuedMs: 2, modelMs: 3, maskMs: 0.5, promptPreview: 'Hello' };
const masked = { url: 0, key: 1, ip: 2, connection: 0 };
const usage = { input: 3, output: 5, isEstimated: true };
const answered = {
  v: 1,
  outcome: 'answered',
  text: 'Hi',
  masked,
  usage,
  work,
  route: 'a b',
  model: 'm',
  receivedAt: 1,
};
const failed = { v: 1, outcome: 'failed', error: 'timed_out', charged: false, cause: { reason: 'timed_out' } };
const generation = { endpoint: '/api/ai', charged: true, model: 'm', masked, usage, finishReason: 'stop', attempts: 1 };
const event = {
  ...{ v: 1, id: 'req_1', at: 1_700_000_000_000, route: '/api/ai', method: 'GET', status: 200, outcome: 'success' },
  ...{ responseMs: 12, address: '1.2.3.4', keyId: 'k', generation },
};

const EXAMPLES: readonly [string, z.ZodType, object][] = [
  ['a job', generationJobSchema, job],
  [
    'a job over the OpenAI protocol',
    generationJobSchema,
    { ...withoutPrompt, v: 2, endpoint: '/v1/chat/completions', chat },
  ],
  [
    'an answer',
    storedSettlementSchema,
    { ...answered, toolCalls: chat.messages[2]?.toolCalls, finishReason: 'length' },
  ],
  ['a failure', storedSettlementSchema, failed],
  ['an event', requestEventSchema, event],
];

test.each(EXAMPLES)('%s is read without zod, and as zod reads it', (_, schema, value) => {
  expect(shapeCheck(schema)(value)).toBe(true);
  expect(schema.parse(value)).toEqual(value);
  expect(readerOf(schema)(value)).toBe(value);
});

/** One field somewhere in a value is another, gone, or one more. */
function changed(value: unknown, at: number, to: unknown): unknown {
  const places: ((copy: unknown) => void)[] = [];
  const visit = (part: unknown, path: readonly string[]) => {
    if (typeof part !== 'object' || part === null) return;
    for (const name of [...Object.keys(part), ...(Array.isArray(part) ? [] : ['more'])]) {
      const holder = (copy: unknown) =>
        path.reduce<Record<string, unknown>>((from, key) => from[key] as never, copy as never);
      places.push((copy) => {
        const object = holder(copy);
        if (to === GONE) delete object[name];
        else object[name] = to;
      });
      visit((part as Record<string, unknown>)[name], [...path, name]);
    }
  };
  visit(value, []);
  const copy = structuredClone(value);
  places[at % places.length]?.(copy);
  return copy;
}

const GONE = Symbol('gone');
const anything = fc.oneof(
  fc.constantFrom(
    GONE,
    undefined,
    null,
    '',
    'success',
    'answered',
    '/api/ai',
    'stop',
    0,
    1,
    -1,
    1.5,
    Number.NaN,
    2 ** 60,
    true,
  ),
  fc.string(),
  fc.double(),
  fc.object({ maxDepth: 1 }),
  fc.array(fc.string(), { maxLength: 2 }),
);

describe.each(EXAMPLES)('%s that is not as it should be', (_, schema, value) => {
  test('is read as zod reads it', () => {
    const isExact = shapeCheck(schema);
    const read = readerOf(schema);
    fc.assert(
      fc.property(fc.nat(), anything, (at, to) => {
        const other = changed(value, at, to);
        const { success, data } = schema.safeParse(other);
        if (isExact(other)) expect([success, data]).toEqual([true, other]);
        expect(read(other)).toEqual(data);
      }),
      { numRuns: 400 },
    );
  });
});

test.each<[string, z.ZodType, unknown]>([
  ['an unknown field, which zod leaves out', z.object({ a: z.string() }), { a: '', b: 1 }],
  ['a transformation', z.string().transform((text) => text.length), 'x'],
  ['a default', z.object({ a: z.string().default('x') }), {}],
  ['a format of its own', z.email(), 'a@b.de'],
  [
    'objects that may be one another',
    z.union([z.object({ a: z.string() }), z.object({ a: z.string(), b: z.string() })]),
    { a: '', b: '' },
  ],
  ['a strict object', z.strictObject({ a: z.string() }), { a: '' }],
])('zod reads %s', (_, schema, value) => {
  expect(shapeCheck(schema)(value)).toBe(false);
  expect(readerOf(schema)(value)).toEqual(schema.parse(value));
});
