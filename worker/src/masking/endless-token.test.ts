import { expect, test } from '@jest/globals';
import { createMaskStream } from './mask.ts';

const PIECE = 'aB3'.repeat(1_000);
const PIECES = 3_500;

/** Sends 10 MB without a break; returns what came out, and how much was held back at most. */
async function stream(head: string) {
  const { readable, writable } = createMaskStream({});
  const [writer, reader] = [writable.getWriter(), readable.getReader()];
  let [length, sent, mostHeld, text] = [0, 0, 0, ''];
  const reading = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length;
      if (text.length < 100) text += next.value.slice(0, 100);
    }
  })();
  await writer.write(head);
  for (let index = 0; index < PIECES; index++) {
    await writer.write(PIECE);
    sent += PIECE.length;
    mostHeld = Math.max(mostHeld, sent - length);
  }
  await writer.close();
  await reading;
  return { length, mostHeld, text };
}

test('a token of 10 MB that is no secret goes through as it comes', async () => {
  const { length, mostHeld } = await stream('');
  expect(length).toBe(PIECE.length * PIECES);
  expect(mostHeld).toBeLessThanOrEqual(PIECE.length + 300);
});

test('a token of 10 MB that is named as a secret is gone', async () => {
  const { length, text } = await stream('api_key=');
  expect(length).toBeLessThan(100);
  expect(text).not.toContain('aB3');
});
