import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { createMasker } from './mask.ts';
import { maskOnce } from './testing/try-hostile-text.ts';

/** A little more than anything looks to the left, and what a finding may begin before its anchor. */
const FAR = 420;
const TEXTS = 400;
/** Steps per character. */
const MOST = 50;

const KEYS = [
  ...['server=', 'database=', 'uid=', 'pwd=', 'host=', 'user=', 'password=', 'dbname=', 'accountkey=', 'x server='],
  ...['api.', 'api-', 'gw.', 'endpoint='],
];
const VALUES = ['${X}', '<y>', 'a', '', 'kopi', 'x7', 'com', 'acme.com', '.', '-', '/v1/ping', '{A}', "'a b'", '"'];
const JOINTS = ['; ', ';', ' ', '', '=', '.', '\n', "'", '"'];

const masker = createMasker();

/** The same few keys, values and joints for long, then any of them. */
function drawText(random: () => number): string {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const few = <T>(list: readonly T[], most: number) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(list));
  const [keys, values, joints] = [few(KEYS, 3), few(VALUES, 3), few(JOINTS, 2)];
  let text = '';
  for (const size = 500 + random() * 2_500; text.length < size; ) text += pick(keys) + pick(values) + pick(joints);
  for (let part = 0; part < 6; part++) text += pick(KEYS) + pick(VALUES) + pick(JOINTS);
  return text;
}

describe('what is masked first depends on the text nearby', () => {
  test('and not on where reading began, or on what was found to be nothing before', () => {
    const random = seededRandom(Number(process.env.NEARBY_SEED ?? 22));
    const differing: string[] = [];
    let compared = 0;
    for (let tried = 0; tried < TEXTS; tried++) {
      const text = drawText(random);
      const first = masker.mask(text).spans[0];
      if (first === undefined || first.start < FAR + 30) continue;
      const skipped = 1 + Math.floor(random() * (first.start - FAR));
      const later = masker.mask(text.slice(skipped)).spans[0];
      // Without its context a value may be masked: that says nothing about what follows it.
      if (later !== undefined && later.start < FAR) continue;
      compared++;
      if (later?.rule !== first.rule || later.start + skipped !== first.start) differing.push(text);
    }
    expect(differing).toEqual([]);
    // Else nothing was tried.
    expect(compared).toBeGreaterThan(20);
  });

  test.each([
    ['a connection string behind keys of which none has a value', 'uid=${X};'.repeat(100), 'server=kopi;database=a'],
    ['pairs behind more pairs than one string holds', 'user=${X} '.repeat(49), 'host=kopi dbname=a'],
    ['a host behind others that no path follows', 'gw.'.repeat(200), 'api.acme.com/v1/ping'],
  ])('%s is masked wherever it stands', (_what, before, secret) => {
    const unit = before.indexOf(before[0] ?? '', 1);
    for (let skipped = 0; skipped < before.length - FAR; skipped += unit)
      expect(masker.mask(before.slice(skipped) + secret).spans).toHaveLength(1);
  });
});

describe('keys of connection strings, and beginnings of hosts, every few characters', () => {
  const ADO = ['uid=', 'pwd=', 'server=', 'dsn=', 'user=', 'driver='];
  const LIBPQ = ['host=', 'user=', 'port=', 'service=', 'sslmode='];
  const HOSTS = ['api.', 'gw.', 'gateway.', 'api-'];

  test.each([
    ['in one value', ADO, ['']],
    ['with nothing between them', ADO, [';']],
    ['with values', ADO, ['a;', 'b;', '7;']],
    ['with blanks', ADO, ['a; ', 'b; ', '7; ']],
    ['to be filled in', ADO, ['${x};', '<y>;']],
    ['of one kind', ['uid=', 'user='], ['a;', 'b;', 'c1;']],
    ['behind a word', ['x uid=', 'x user='], ['a;', 'b;']],
    ['in one value of libpq', LIBPQ, ['']],
    ['with values for libpq', LIBPQ, ['a ', 'b ']],
    ['to be filled in for libpq', LIBPQ, ['${x} ', '<y> ']],
    ['in one host', HOSTS, ['']],
    ['before paths', HOSTS, ['', '', '', '', '', 'x.zz/']],
    ['before hyphens', HOSTS, ['', '', '', '-'.repeat(40)]],
  ])('%s are read in linear work', (_how, keys, joints) => {
    const random = seededRandom(5);
    const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? '';
    let text = '';
    while (text.length < 60_000) text += pick(keys) + pick(joints);
    const { refused, work } = maskOnce(text);
    expect(refused).toBe(false);
    expect(work).toBeLessThan(MOST * text.length);
  });
});
