import { expect, test } from '@jest/globals';
import type { ModelConfig } from '@lontar/shared/models/catalog.ts';
import type { RouteTrial } from '@lontar/worker/try-route.ts';
import { tryRoutes } from './try-routes.ts';

const deadlines = { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 };
const models: readonly ModelConfig[] = ['a', 'b'].map((name) => ({
  name,
  aliases: [],
  deadlines,
  routes: ['u1', 'u2'].map((upstream) => ({ upstream, model: `${name}-there`, weight: 1, order: 1 })),
}));

test('all routes are tried, one after the other', async () => {
  let open = 0;
  const { tried, left } = await tryRoutes(models, async () => {
    open += 1;
    expect(open).toBe(1);
    await Promise.resolve();
    open -= 1;
    return { ok: true, tookMs: 1, inputTokens: 1, outputTokens: 1 };
  });
  expect(left).toBe(0);
  expect(tried.map(({ model, upstream, asks }) => `${model} ${upstream} ${asks}`)).toEqual([
    'a u1 a-there',
    'a u2 a-there',
    'b u1 b-there',
    'b u2 b-there',
  ]);
});

test('upstreams that hang take five minutes in all', async () => {
  let now = 0;
  const hang = (): Promise<RouteTrial> => {
    now += 100_001;
    return Promise.resolve({ ok: false, tookMs: 100_001, error: 'timed_out' });
  };
  const { tried, left } = await tryRoutes(models, hang, () => now);
  expect([tried.length, left]).toEqual([3, 1]);
});
