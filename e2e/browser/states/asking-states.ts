import type { Page } from 'playwright-core';
import { ENTRIES, LONG_KEYS, LONG_MODELS, MANY_KEYS, MODELS, USAGE_ROWS } from './contents.ts';
import { LONG, logRows } from './live-words.ts';
import { type Asked, ok, type Reply, refused, type State } from './state.ts';

/** How the pages that ask the admin API, or the log, are asked anew. */
export const ASKING = [
  { page: 'keys', path: '/#/keys', other: '#/keys?sort=name.up', at: '/admin/v1/keys' },
  { page: 'usage', path: '/#/usage', other: '#/usage?by=key', at: '/admin/v1/usage' },
  { page: 'models', path: '/#/models', other: undefined, at: '/admin/v1/models' },
  { page: 'requests', path: '/#/requests', other: '#/requests?outcome=timeout', at: '/dashboard/log' },
  { page: 'audit', path: '/#/audit', other: '#/audit?action=key.create', at: '/admin/v1/audit' },
] as const;
type Asking = (typeof ASKING)[number];

/** What there is where all is new, and where there is much. */
export const CONTENTS: Readonly<Record<Asking['page'], Readonly<Record<'empty' | 'full', Reply>>>> = {
  keys: {
    empty: ok({ keys: [], unreadable: [], cursor: null }),
    full: ok({
      keys: [...LONG_KEYS, ...MANY_KEYS],
      unreadable: [`The record of the key ${LONG.word} cannot be read: state: Invalid`],
      cursor: 'next',
    }),
  },
  usage: { empty: ok({ rows: [], cursor: null }), full: ok({ rows: USAGE_ROWS, cursor: null }) },
  models: { empty: ok({ ...MODELS, catalog: null, models: [], upstreams: [], workers: [] }), full: ok(LONG_MODELS) },
  requests: { empty: { json: { rows: [] } }, full: { json: { rows: logRows() } } },
  audit: { empty: ok({ entries: [], next: null }), full: ok({ entries: ENTRIES, next: null }) },
};

const CONTENT = 'main table, main .rows [role=row]';

const askAgain =
  ({ other }: Asking) =>
  async (page: Page) => {
    await page.locator(CONTENT).first().waitFor();
    if (other === undefined) await page.locator('main .card-head button').first().click();
    else await page.evaluate((hash) => (location.hash = hash), other);
  };

export function statesOf(asking: Asking): State[] {
  const { page: name, path, at } = asking;
  const { empty, full } = CONTENTS[name];
  const always = (reply: Reply) => (asked: Asked) => (asked.path === at ? reply : undefined);
  const thenNot = (reply: Reply) => (asked: Asked) => (asked.path !== at ? undefined : asked.nth === 0 ? full : reply);
  const state = (kind: string, reply: State['reply'], shows: string, more: Partial<State> = {}): State => ({
    ...{ name: `${name}-${kind}`, path, shows, ...more },
    ...(reply && { reply }),
  });
  // What stands in the place of all content looks the same on each page.
  const alike = { isAlike: name !== 'keys' };
  const failing = (kind: string, reply: Reply, more: Partial<State> = {}) =>
    state(kind, always(reply), '.state.failing', { ...alike, ...more });
  const away = { status: 503, json: { status: false, code: 503, error: 'x', message: 'The service says why.' } };
  return [
    state('loading', always('never'), '.bones'),
    state('empty', always(empty), 'main .card:not(:has(.bones))'),
    state('full', always(full), CONTENT),
    failing('failed', away),
    failing('limited', refused(429, 'limited')),
    failing('offline', 'away', { isOffline: true }),
    state('stale', thenNot('away'), '.trouble[role=alert]', { reach: askAgain(asking) }),
    ...(name === 'requests'
      ? []
      : [
          failing('off', { status: 404, json: { message: 'Not Found' } }),
          failing('forbidden', refused(403, 'forbidden')),
        ]),
  ];
}
