import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { type BodyShare, createBodyBudget } from './body-budget.ts';
import { createBodyBuffers } from './body-buffers.ts';
import { readBody, takeArrived } from './read-body.ts';

const MOST = 100_000;
const bounds = { bytes: 10 * MOST, bytesPerAddress: 2 * MOST, bodies: 10, bodiesPerAddress: 10 };

/** A body that is on its way, its share, and the memory that shares have in common. */
function begin() {
  const buffers = createBodyBuffers();
  const budget = createBodyBudget(bounds, () => undefined, buffers);
  const share = budget.open('192.0.2.1') as BodyShare;
  const body = new PassThrough();
  return { body, share, buffers, reading: readBody(body as unknown as IncomingMessage, share, MOST) };
}

test('a body that comes in pieces is read whole, in memory that others have used', async () => {
  const { body, share, buffers, reading } = begin();
  buffers.giveBack(Buffer.alloc(16_384, 'o'));
  body.write('a'.repeat(10));
  body.write('b'.repeat(20_000));
  body.end('c');
  const read = await reading;
  expect(read.kind === 'whole' && read.bytes.toString()).toBe(`${'a'.repeat(10)}${'b'.repeat(20_000)}c`);
  share.close();
});

test('one that is too large is told apart', async () => {
  const { body, reading } = begin();
  body.write('a'.repeat(MOST + 1));
  expect(await reading).toEqual({ kind: 'too_large' });
});

test('what comes after its share was closed goes nowhere', async () => {
  const { body, share, buffers, reading } = begin();
  body.write('a');
  await new Promise(setImmediate);
  share.close();
  const next = buffers.take(16_384).fill('n');
  body.write('b'.repeat(100));
  expect(await reading).toEqual({ kind: 'cut_off' });
  expect(next.toString()).toBe('n'.repeat(16_384));
});

test('one that is here whole is taken at once, and counted', async () => {
  const budget = createBodyBudget(bounds);
  const share = budget.open('192.0.2.1') as BodyShare;
  const body = new PassThrough();
  const ended = new Promise((resolve) => body.once('end', resolve));
  body.end('{"a":1}');
  expect(takeArrived(body as unknown as IncomingMessage, share, 7)?.toString()).toBe('{"a":1}');
  expect(share.bytes).toBe(7);
  await ended;
});

test.each([
  ['is still on its way', 8, bounds],
  ['is empty', 0, bounds],
  ['is more than its share may hold', 7, { ...bounds, bytesPerAddress: 6 }],
])('one that %s stays where it is', (_what, length, bound) => {
  const share = createBodyBudget(bound).open('192.0.2.1') as BodyShare;
  const body = new PassThrough();
  body.write('{"a":1}');
  expect(takeArrived(body as unknown as IncomingMessage, share, length)).toBeUndefined();
  expect([share.bytes, body.readableLength]).toEqual([0, 7]);
});
