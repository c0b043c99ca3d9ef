import { EXAMPLE_KEY } from '@lontar/shared/admin/admin-schemas.ts';
import { NO_USAGE } from '@lontar/shared/usage/usage-counts.ts';
import { ADMIN_RESULTS } from '../../../gateway/src/reference/admin-examples.ts';
import { LONG } from './live-words.ts';

const used = { requests: 1_234_567, tokens: 987_654_321 };
const USE = { today: used, last30Days: used, hourUsed: 99, dayUsed: 1_000_000 };
export const KEY = { ...EXAMPLE_KEY, use: USE };
export const LIMITS = { perHour: 100, perDay: 1_000_000_000, credits: 1_000_000_000, charged: 999_999_999 };
function longKey(name: string, index: number) {
  const note = `${name} `.repeat(5).slice(0, 500);
  const state = (['active', 'expired', 'revoked'] as const)[index];
  return { ...KEY, ...LIMITS, id: `A1b2C3d4E${index}`, name, owner: name, note, state };
}
export const LONG_KEYS = [LONG.word, LONG.name, LONG.rightToLeft].map(longKey);
export const MANY_KEYS = Array.from({ length: 50 }, (_, index) => ({
  ...KEY,
  id: `B1b2C3d4${10 + index}`,
  name: `key ${index}`,
}));
const DAY_MS = 86_400_000;
const days = Array.from({ length: 30 }, (_, index) => new Date(Date.now() - index * DAY_MS).toISOString().slice(0, 10));
function usageRow(name: string, key: number, date: string) {
  const counts = { requests: 1_234_567, successes: 1_200_000, timeouts: 34_567, promptTokens: 987_654_321, masked: 7 };
  const model = date.endsWith('7') ? LONG.model : 'ai-2.5-flash';
  return { ...NO_USAGE, ...counts, key: `A1b2C3d4E${key}`, name, owner: name, date, model };
}
export const USAGE_ROWS = [LONG.word, LONG.name, LONG.rightToLeft, 'shop'].flatMap((name, key) =>
  days.map((date) => usageRow(name, key, date)),
);
export const ENTRIES = ['key.create', 'key.update', 'address.block', 'admin-token.create', 'moon.landing'].map(
  (action, at) => ({
    id: `176984733${at}123-0`,
    at: '2026-01-31T08:15:30.123Z',
    actor: {
      by: at % 2 === 0 ? 'token' : 'cli',
      id: 'B1b2C3d4E5',
      name: [LONG.word, LONG.rightToLeft][at % 2],
      from: LONG.address,
    },
    action,
    target: at === 2 ? LONG.address : 'A1b2C3d4E5',
    outcome: (['done', 'begun', 'refused'] as const)[at % 3],
    before: { name: LONG.word, perHour: '5', models: 'a,b' },
    after: {
      name: LONG.name,
      note: `${LONG.rightToLeft} `.repeat(20),
      expiresAt: '1798675200000',
      later: 'unknown field',
    },
  }),
);

export const MODELS = ADMIN_RESULTS.listModels as Record<'models' | 'upstreams' | 'workers', Record<string, unknown>[]>;
export const LONG_MODELS = {
  ...MODELS,
  models: [
    ...MODELS.models.map((model) => ({ ...model, name: LONG.model, aliases: [LONG.model, 'fast'] })),
    { ...MODELS.models[0], name: 'asked-for-and-not-there', inCatalog: false, routes: [], routesUp: 0 },
  ],
  upstreams: [
    ...MODELS.upstreams.map((upstream) => ({ ...upstream, name: LONG.model, state: 'open', reason: 'unauthorized' })),
    ...MODELS.upstreams,
  ],
};
