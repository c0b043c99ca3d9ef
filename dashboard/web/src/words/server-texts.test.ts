import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN_ERRORS, type AdminError, reasonsOf } from '@lontar/shared/admin/admin-errors.ts';
import type { Trouble } from '@lontar/shared/dashboard-contract.ts';
import { InvalidTerms } from '@lontar/shared/keys/key-refusals.ts';
import { newKeySchema, readTerms } from '@lontar/shared/keys/key-rules.ts';
import type { Refused } from '../admin-api/answer.ts';
import { sayFailing } from './fleet.ts';
import { language } from './language.ts';
import { sayRefusal } from './refusals.ts';
import { sayRule } from './rules.ts';
import { sayTrouble } from './troubles.ts';

/** Words that no Indonesian sentence has. */
const ENGLISH = /\b(?:the|must|is|are|was|has|have|for|of|and|or|to|not|no|while|seconds?|wait)\b/i;

beforeAll(() => {
  language.value = 'id';
});
afterAll(() => {
  language.value = 'en';
});

const refused = (more: Partial<Refused>): Refused => ({
  ok: false,
  kind: 'broken',
  status: 500,
  message: 'The server says so.',
  ...more,
});

test('every reason of the admin API is said in Indonesian', () => {
  const reasons = (Object.keys(ADMIN_ERRORS) as AdminError[]).flatMap((error) => reasonsOf(error));
  expect(reasons.length).toBeGreaterThan(15);
  for (const reason of reasons) {
    const message = reason === 'invalid' ? 'limit must be a whole number from 1 to 200' : 'The server says so.';
    const said = sayRefusal(refused({ reason, message, retryAfter: 7 }));
    expect([said, ENGLISH.test(said), said.includes('undefined')]).toEqual([said, false, false]);
  }
  expect(sayRefusal(refused({ reason: 'limited', retryAfter: 7 }))).toContain('Tunggu 7 detik');
});

test('what stands before the admin API is said by its status, and what nobody knows in its own words', () => {
  for (const status of [404, 429, 500, 502, 503, 504]) expect(sayRefusal(refused({ status }))).not.toMatch(ENGLISH);
  expect(sayRefusal(refused({ reason: 'of_a_later_version' }))).toBe('The server says so.');
  expect(sayRefusal(refused({ status: 418 }))).toBe('The server says so.');
  language.value = 'en';
  expect(sayRefusal(refused({ reason: 'limited' }))).toBe('The server says so.');
  language.value = 'id';
});

const BAD = {
  name: '',
  owner: 'a\tb',
  perHour: 0,
  credits: 'many',
  models: [],
  addresses: ['nowhere'],
  expiresAt: 'soon',
  mask: ['all of it'],
  keepOwn: 1,
  onDisconnect: 'stay',
  unknown: 1,
};

test.each([
  ['of every field', BAD],
  ['of lists that are too long', { name: 'x', addresses: Array.from({ length: 101 }, () => '::1'), models: [1] }],
  ['of a time that has passed', { name: 'x', expiresAt: '2020-01-01T00:00:00Z' }],
])('rules %s are said in Indonesian', (_what, terms) => {
  let problems: InvalidTerms['problems'] = [];
  try {
    readTerms(newKeySchema, terms, Date.parse('2026-01-01'));
  } catch (error) {
    if (error instanceof InvalidTerms) ({ problems } = error);
  }
  expect(problems.length).toBeGreaterThan(0);
  for (const { rule } of problems) {
    // What was typed, and values that are words of the API, stay as they are.
    const said = sayRule(rule)
      .replaceAll(/"[^"]*"/g, '')
      .replace(/dari url, key, ip, connection/, '');
    expect([rule, ENGLISH.test(said)]).toEqual([rule, false]);
  }
});

test.each<[Trouble['id'], Trouble['parts'], readonly string[]]>([
  ['no_workers', undefined, []],
  ['workers_stuck', { some: 1, all: 3 }, ['1 dari 3']],
  ['queue_paused', undefined, ['lontar queue resume']],
  ['model_failing', { cause: 'timed out.', some: 2, all: 4 }, ['timed out.', '2 dari 4']],
  ['failing_requests', { share: 35 }, ['35 %']],
  ['failing_requests', { share: 40, hasRecovered: true }, ['40 %', 'menit terakhir tidak ada yang gagal']],
  ['models_down', { names: 'a, b' }, ['a, b']],
  ['upstreams_open', { names: 'u1' }, ['u1']],
  ['upstreams_unauthorized', { names: 'u2' }, ['u2']],
  ['models_file_broken', { some: 1, all: 2 }, ['1 dari 2']],
])('the trouble %s is said in Indonesian, with its parts', (id, parts, kept) => {
  const trouble = { id, isDown: false, what: 'What.', whom: 'whom', since: 0, runbook: 'x', ...(parts && { parts }) };
  const said = sayTrouble(trouble).join(' ');
  for (const part of kept) expect(said).toContain(part);
  expect(said.replace(parts?.cause ?? '', '')).not.toMatch(ENGLISH);
});

test('a trouble of a later version is told in the words of the server', () => {
  const trouble = { id: 'moon_away', isDown: true, what: 'What.', whom: 'whom', since: 0, runbook: 'x' };
  expect(sayTrouble(trouble as unknown as Trouble)).toEqual(['What.', 'whom']);
});

test('a worker that makes no progress is told of in Indonesian', () => {
  expect(sayFailing('no progress for 61 s while 3 jobs wait')).toBe(
    'tidak maju selama 61 detik sementara 3 tugas menunggu',
  );
});
