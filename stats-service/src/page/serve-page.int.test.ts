import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { mixedEvents } from '../../testing/mixed-events.ts';
import { type RunningService, runService } from '../../testing/running-service.ts';
import type { DashboardDeps } from '../access/dashboard.ts';
import type { Asked } from '../asked.ts';
import { openPage } from './serve-page.ts';

let redis: TestRedis;
let service: RunningService;
let folder: string;

beforeAll(async () => {
  redis = await startTestRedis();
  service = await runService(redis);
  await service.append(mixedEvents(20, [Date.now()]));
  folder = await mkdtemp(join(tmpdir(), 'lontar-page-'));
  await writeFile(join(folder, 'index.html'), '<body><div id="page"></div></body>');
});
afterAll(async () => {
  await service.stop();
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
});

async function page(over: Partial<DashboardDeps>, cookie?: string): Promise<string> {
  const clock = { now: () => redisTime(), stop: () => undefined };
  const deps = { redis: redis.client, clock, token: service.token, open: false, ...over } as DashboardDeps;
  const asked = { cookie, address: '192.0.2.10', query: new URLSearchParams(), ahead: false } as unknown as Asked;
  const answer = await openPage(pathToFileURL(`${folder}/`), deps).open(asked);
  return answer.body as string;
}

test('the page brings its first counters for those who may see them, and nothing for others', async () => {
  expect(await page({})).toBe('<body><div id="page"></div></body>');
  for (const html of [await page({ open: true }), await page({}, await service.signIn())]) {
    const [, attribute = ''] = /<div id="page" data-open data-tiles="([^"]*)"><\/div>/.exec(html) ?? [];
    expect(attribute).not.toContain('<');
    const tiles = JSON.parse(attribute.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'));
    expect(tiles).toMatchObject({ requestsAllTime: 20 });
  }
});
