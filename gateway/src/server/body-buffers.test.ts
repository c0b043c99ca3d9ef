import { expect, test } from '@jest/globals';
import { createBodyBuffers } from './body-buffers.ts';

test('a buffer that was given back is used again for one of its size, and for no other', () => {
  const buffers = createBodyBuffers();
  const first = buffers.take(100);
  buffers.giveBack(first);
  expect(buffers.take(200)).not.toBe(first);
  expect(buffers.take(100)).toBe(first);
  expect(buffers.take(100)).not.toBe(first);
});

test('no more is kept than its bound', () => {
  const buffers = createBodyBuffers(250);
  const taken = Array.from({ length: 3 }, () => buffers.take(100));
  for (const buffer of taken) buffers.giveBack(buffer);
  const again = new Set(Array.from({ length: 3 }, () => buffers.take(100)));
  expect(taken.filter((buffer) => again.has(buffer))).toHaveLength(2);
});
