import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BadStream, MOST_EVENT, MOST_LINE, readEvents } from './read-events.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** A body that gives these pieces, and notes whether it was given up. */
function bodyOf(pieces: readonly Uint8Array[]) {
  const left = [...pieces];
  const state = { cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = left.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
    cancel() {
      state.cancelled = true;
    },
  });
  return { body, state };
}

async function all(body: ReadableStream<Uint8Array>): Promise<string[]> {
  const found: string[] = [];
  for await (const data of readEvents(body)) found.push(data);
  return found;
}

async function read(text: string, at: readonly number[] = []): Promise<string[]> {
  const whole = bytes(text);
  const cuts = [0, ...at.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  const pieces = cuts.slice(1).map((end, index) => whole.slice(cuts[index], end));
  return all(bodyOf(pieces).body);
}

test.each([
  ['one event', 'data: a\n\n', ['a']],
  ['lines that end in every way', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', ['a', 'b', 'c']],
  ['comments, ids and fields of no meaning', ': x\n\nid: 7\nevent: e\nretry: 1\ndata: a\n\n', ['a']],
  ['data of several lines, and without a blank', 'data:a\ndata:  b\ndata\n\n', ['a\n b\n']],
  ['nothing', '', []],
  ['an event that was not ended', 'data: a\n\ndata: half\n', ['a']],
  ['a byte order mark', '\uFEFFdata: a\n\n', ['a']],
  ['more than ASCII', 'data: "日本 🌿"\n\n', ['"日本 🌿"']],
])('reads %s', async (_what, text, events) => {
  expect(await read(text)).toEqual(events);
});

test('pieces may be cut anywhere, in the midst of a character or of a line end, too', async () => {
  const text = ': hello\r\ndata: "añ🌿"\r\n\r\ndata: b\r\rdata: c\n\n';
  const whole = await read(text);
  expect(whole).toEqual(['"añ🌿"', 'b', 'c']);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(200), { maxLength: 12 }), async (cuts) => {
      expect(await read(text, cuts)).toEqual(whole);
    }),
  );
});

test.each([
  ['a line without an end', [bytes('x'.repeat(MOST_LINE + 1))]],
  ['a line that comes in pieces', Array.from({ length: 20 }, () => bytes('x'.repeat(MOST_LINE / 10)))],
  ['an event of too many lines', [bytes(`data: ${'x'.repeat(1_000)}\n`.repeat(MOST_EVENT / 1_000))]],
])('%s is not held, and the body is given up', async (_what, pieces) => {
  const { body, state } = bodyOf([...pieces, bytes('more'), bytes('more')]);
  await expect(all(body)).rejects.toThrow(BadStream);
  expect(state.cancelled).toBe(true);
});

test('a reader who stops gives the body up', async () => {
  const { body, state } = bodyOf([bytes('data: a\n\ndata: b\n\n'), bytes('data: c\n\n'), bytes('data: d\n\n')]);
  for await (const data of readEvents(body)) {
    expect(data).toBe('a');
    break;
  }
  expect(state.cancelled).toBe(true);
});
