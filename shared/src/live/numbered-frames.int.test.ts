import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import { readNumbered, writeNumbered } from './numbered-frames.ts';

const INCLUDE = readFileSync(new URL('../script-includes/numbered-frames.lua', import.meta.url), 'utf8');
const READ_ALL = `${INCLUDE}
local pieces = {}
readNumbered(ARGV[1], function(number, track, data) pieces[#pieces + 1] = { number, track, data } end)
return pieces`;

let server: TestRedis;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

test('scripts read numbered pieces as gateways do', async () => {
  const random = seededRandom(23);
  const below = (most: number) => Math.floor(random() * most);
  const texts = ['', 'a', ' ', 'two ', '\x1d ', '\x1f', 'b\x1e"\\', 'é🌐', '\x00\x03\x7f', '\r\n$5\r\n'];
  for (let round = 0; round < 200; round++) {
    const pieces = Array.from({ length: 1 + below(30) }, () => ({
      number: 1 + below(10 ** (random() < 0.5 ? 1 : below(9))),
      track: (['text', 'reasoning', 'call'] as const)[below(3)] ?? 'text',
      offset: below(10 ** below(9)),
      data: texts[below(texts.length)] ?? '',
      goesOn: random() < 0.7,
    }));
    const written = writeNumbered(pieces) + writeNumbered(pieces.toReversed());
    const read: [number, string, string][] = [];
    readNumbered(written, (number, track, _offset, data) => track !== 'call' && read.push([number, track, data]));
    expect(await server.client.eval(READ_ALL, 0, written)).toEqual(read);
  }
});
