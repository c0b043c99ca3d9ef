import { expect, test } from '@jest/globals';
import type { Answer } from './answer.ts';
import { type Pages, readPages } from './read-pages.ts';

type Page = Answer<{ readonly rows: readonly number[]; readonly next?: string | null }>;
const page = (rows: readonly number[], next: string | null = null): Page => ({ ok: true, body: { rows, next } });

/** A server with these pages, and what it was asked for. */
function server(...pages: readonly Page[]) {
  const asked: (readonly [next: string | undefined, lacking: number])[] = [];
  const readPage = async (next: string | undefined, lacking: number) =>
    pages[asked.push([next, lacking]) - 1] ?? page([]);
  return { asked, readPage };
}

test('pages are read until there are enough rows, however few each holds', async () => {
  const { asked, readPage } = server(page([1], 'b'), page([], 'c'), page([2, 3], 'd'));
  const read = await readPages(undefined, { mostPages: 9, enoughRows: 3 }, readPage);
  expect(read).toEqual({ ok: true, body: { rows: [1, 2, 3], next: 'd' } });
  expect(asked).toEqual([
    [undefined, 3],
    ['b', 2],
    ['c', 2],
  ]);
});

test('what was read before is gone on with, and its rows are not counted again', async () => {
  const { asked, readPage } = server(page([3], 'd'), page([4]));
  const before: Pages<number> = { rows: [1, 2], next: 'c' };
  const read = await readPages(before, { mostPages: 9, enoughRows: 2 }, readPage);
  expect(read).toEqual({ ok: true, body: { rows: [1, 2, 3, 4] } });
  expect(asked).toEqual([
    ['c', 2],
    ['d', 1],
  ]);
  expect(before.rows).toEqual([1, 2]);
});

test('a search that finds nothing ends, and says where it goes on', async () => {
  const { asked, readPage } = server(...Array.from({ length: 9 }, (_, index) => page([], `${index}`)));
  const read = await readPages(undefined, { mostPages: 4 }, readPage);
  expect([read, asked.length]).toEqual([{ ok: true, body: { rows: [], next: '3' } }, 4]);
});

test('a refused page is the answer: half a list would look like a whole one', async () => {
  const refused = { ok: false, kind: 'limited', status: 429, message: 'Wait.' } as const;
  const { readPage } = server(page([1], 'b'), refused);
  expect(await readPages(undefined, { mostPages: 4 }, readPage)).toBe(refused);
});
