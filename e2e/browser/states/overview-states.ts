import { emptySnapshot, fullSnapshot, LONG, logRows } from './live-words.ts';
import { refused, type State } from './state.ts';

export const OVERVIEW_STATES: readonly State[] = [
  { name: 'overview-loading', path: '/', sent: 'nothing', shows: '.log .bone, .fleet .bone' },
  { name: 'overview-empty', path: '/', sent: emptySnapshot(), shows: '.log' },
  { name: 'overview-full', path: '/', sent: fullSnapshot(), shows: '.troubles .trouble' },
  {
    name: 'overview-table',
    path: '/',
    sent: fullSnapshot(),
    reach: (page) => page.locator('.charts .card-head button').click(),
    shows: '.charts table',
  },
  {
    name: 'overview-explained',
    path: '/',
    sent: fullSnapshot(),
    reach: (page) => page.locator('.tile .about').nth(1).click(),
    shows: '.definition:not([hidden])',
  },
  { name: 'overview-stale', path: '/', sent: fullSnapshot(), waitsMs: 25_000, shows: '.pill.stale' },
  { name: 'overview-disconnected', path: '/', sent: fullSnapshot(), waitsMs: 40_000, shows: '.pill.disconnected' },
  {
    name: 'overview-parts-failing',
    path: '/',
    shows: '.fault',
    sent: {
      ...fullSnapshot(),
      ...Object.fromEntries(
        ['tiles', 'moments', 'fleet', 'log'].map((part) => [
          part,
          { ok: false, reason: 'Redis does not answer.', code: 'redis_away' },
        ]),
      ),
    },
  },
  { name: 'overview-public', path: '/', sent: { ...emptySnapshot(), signedIn: false }, shows: '.tiles' },
  {
    name: 'request-detail',
    path: '/?row=1769847330123-0',
    sent: fullSnapshot(),
    shows: 'dialog .facts',
    reply: ({ path }) =>
      path.startsWith('/dashboard/log/')
        ? {
            json: {
              row: logRows()[0],
              texts: 'kept',
              prompt: `${LONG.word} `.repeat(9),
              answer: 'Use ***API_KEY*** at ***API_SERVER***.',
            },
          }
        : undefined,
  },
  {
    name: 'request-failed',
    path: '/?row=1769847338123-0',
    sent: fullSnapshot(),
    shows: 'dialog .facts',
    reply: ({ path }) =>
      path.startsWith('/dashboard/log/') ? { json: { row: logRows().at(-1), texts: 'none' } } : undefined,
  },
  {
    name: 'request-gone',
    path: '/?row=1-0',
    sent: fullSnapshot(),
    shows: 'dialog .fault',
    reply: ({ path }) => (path.startsWith('/dashboard/log/') ? refused(404, 'x') : undefined),
  },
  {
    name: 'blocked-list',
    path: '/',
    sent: fullSnapshot(),
    reach: (page) => page.locator('.tile button.link').last().click(),
    shows: 'dialog table',
    reply: ({ path }) =>
      path === '/dashboard/blocked'
        ? {
            json: (['over the hourly limit', 'too many bad keys', 'blocked by the operator'] as const).map(
              (reason, index) => ({
                address: index === 0 ? LONG.address : '203.0.113.9',
                reason,
                until: index === 2 ? null : Date.now() + 3_000_000,
              }),
            ) as unknown as object,
          }
        : undefined,
  },
  {
    name: 'blocked-none',
    path: '/',
    sent: fullSnapshot(),
    reach: (page) => page.locator('.tile button.link').last().click(),
    shows: 'dialog .hint',
    reply: ({ path }) => (path === '/dashboard/blocked' ? { json: [] } : undefined),
  },
  {
    name: 'block-refused',
    path: '/',
    sent: fullSnapshot(),
    reach: async (page) => {
      await page.locator('.tile button.link').last().click();
      await page.locator('.block-form input').fill(LONG.address);
      await page.locator('.block-form [type=submit]').click();
    },
    shows: 'dialog .fault',
    reply: ({ method, path }) =>
      method === 'POST' && path === '/admin/v1/bans'
        ? refused(403, 'forbidden')
        : path === '/dashboard/blocked'
          ? { json: [] }
          : undefined,
  },
  {
    name: 'reset-question',
    path: '/',
    sent: fullSnapshot(),
    reach: (page) => page.locator('.tile button.link').first().click(),
    shows: 'dialog.small',
  },
  { name: 'signed-out', path: '/', isSignedOut: true, sent: 'nothing', shows: '.sign-in' },
  {
    name: 'signed-out-refused',
    path: '/?link=used',
    isSignedOut: true,
    sent: 'nothing',
    shows: '.sign-in .fault',
    reply: ({ method, path }) => (path === '/dashboard/session' && method === 'POST' ? refused(401, 'x') : undefined),
    reach: async (page) => {
      await page.locator('[name=token]').fill('wrong');
      await page.keyboard.press('Enter');
    },
  },
  { name: 'for-operator', path: '/#/keys', sent: { ...emptySnapshot(), signedIn: false }, shows: '.state' },
  { name: 'no-such-page', path: '/#/nothing', shows: '.state' },
];
