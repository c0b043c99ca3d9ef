import type { Page } from 'playwright-core';
import { CONTENTS } from './asking-states.ts';
import { KEY, LONG_KEYS, USAGE_ROWS } from './contents.ts';
import { LONG } from './live-words.ts';
import { type Asked, ok, type Reply, refused, type State } from './state.ts';

const keyAt = `/#/keys?key=${KEY.id}`;
const oneKey =
  (key: object) =>
  (asked: Asked): Reply | undefined =>
    asked.path === '/admin/v1/keys'
      ? CONTENTS.keys.full
      : asked.path.startsWith('/admin/v1/usage')
        ? ok({ rows: USAGE_ROWS.slice(0, 30), cursor: null })
        : asked.path.endsWith(KEY.id) && asked.method === 'GET'
          ? ok(key)
          : undefined;
const LONG_KEY = { ...LONG_KEYS[0], id: KEY.id };
/** The nth of what ends a key: rotate, revoke, delete. */
const end = (index: number) => (page: Page) => page.locator('dialog .end > .actions button').nth(index).click();
const confirmIt = async (page: Page, index: number) => {
  await end(index)(page);
  await page.locator('dialog form.confirm input[name=confirm-name]').fill(LONG.word);
  await page.locator('dialog form.confirm [type=submit]').click();
};
const fill = (page: Page, name: string, text: string) => page.locator(`dialog [name=key-${name}]`).fill(text);
const createIt = (page: Page) => page.locator('dialog .foot [type=submit]').click();
const posted =
  (reply: Reply) =>
  (asked: Asked): Reply | undefined =>
    asked.path !== '/admin/v1/keys' ? undefined : asked.method === 'POST' ? reply : CONTENTS.keys.empty;
const PROBLEMS = [
  {
    field: 'name',
    rule: 'must have 1 to 100 characters that are seen: no tabs, line breaks, other control characters or marks that turn the direction of writing; it has U+202E',
  },
  { field: 'perHour', rule: 'must be a whole number from 1 to 1000000' },
  {
    field: 'addresses',
    rule: 'must be addresses or networks, which "nowhere" is not. Examples: 203.0.113.9, 198.51.100.0/24, 2001:db8::/48',
  },
];
const changedKey = (asked: Asked): Reply | undefined =>
  asked.method === 'PATCH'
    ? refused(412, 'changed', { changed: ['credits', 'note'], version: 4 })
    : oneKey({ ...LONG_KEY, ...(asked.nth > 0 ? { credits: 777, version: 4 } : {}) })(asked);

export const KEY_STATES: readonly State[] = [
  { name: 'keys-found-none', path: '/#/keys?q=none', reply: () => CONTENTS.keys.empty, shows: '.state' },
  { name: 'key-new', path: '/#/keys?new=1', reply: posted('never'), shows: 'dialog[open] .key-form' },
  {
    name: 'key-idle-limits',
    path: '/#/keys?new=1',
    reply: posted('never'),
    shows: '.idle',
    reach: async (page) => {
      for (const [name, value] of [
        ['perHour', '5000'],
        ['perDay', '500'],
        ['concurrency', '9000'],
        ['credits', '3'],
      ] as const)
        await fill(page, name, value);
    },
  },
  {
    name: 'key-refused',
    path: '/#/keys?new=1',
    reply: posted(refused(400, 'invalid', { problems: PROBLEMS })),
    reach: createIt,
    shows: 'dialog .fault',
  },
  { name: 'key-not-made', path: '/#/keys?new=1', reply: posted('away'), reach: createIt, shows: 'dialog .fault' },
  {
    name: 'key-issued',
    path: '/#/keys?new=1',
    reply: posted(ok({ ...LONG_KEYS[1], key: `lt_live_${KEY.id}_${'x'.repeat(38)}` })),
    reach: createIt,
    shows: '.issued',
  },
  { name: 'key-sheet', path: keyAt, reply: oneKey(LONG_KEY), shows: 'dialog .end' },
  { name: 'key-sheet-name', path: keyAt, reply: oneKey({ ...LONG_KEYS[2], id: KEY.id }), shows: 'dialog .end' },
  {
    name: 'key-sheet-loading',
    path: keyAt,
    reply: (asked) => (asked.path.endsWith(KEY.id) ? 'never' : CONTENTS.keys.full),
    shows: 'dialog .bones',
  },
  {
    name: 'key-sheet-gone',
    path: keyAt,
    reply: (asked) => (asked.path.endsWith(KEY.id) ? refused(404, 'not_found') : CONTENTS.keys.full),
    shows: 'dialog .state',
  },
  {
    name: 'key-change',
    path: keyAt,
    reply: oneKey(LONG_KEY),
    reach: (page) => page.locator('dialog details.part > summary').first().click(),
    shows: 'dialog .key-form',
  },
  {
    name: 'key-changed-by-others',
    path: keyAt,
    reply: changedKey,
    shows: 'dialog .trouble',
    reach: async (page) => {
      await page.locator('dialog details.part > summary').first().click();
      await fill(page, 'credits', '888');
      await createIt(page);
    },
  },
  {
    name: 'key-rotate',
    path: keyAt,
    reply: oneKey({ ...LONG_KEY, oldKeyUntil: '2026-02-01T00:00:00.000Z' }),
    reach: end(0),
    shows: 'dialog .confirm',
  },
  { name: 'key-revoke', path: keyAt, reply: oneKey(LONG_KEY), reach: end(1), shows: 'dialog .confirm' },
  { name: 'key-delete', path: keyAt, reply: oneKey(LONG_KEY), reach: end(2), shows: 'dialog .confirm' },
  {
    name: 'key-not-rotated',
    path: keyAt,
    shows: 'dialog .confirm .fault',
    reach: (page) => confirmIt(page, 0),
    reply: (asked) => (asked.method === 'POST' ? refused(409, 'overlap_runs') : oneKey(LONG_KEY)(asked)),
  },
];
