import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readKeyId } from '@lontar/shared/api-key.ts';
import { catalogOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { homeAt } from '../home/home.ts';
import { checkSettings } from '../settings/check-settings.ts';
import { testOnce } from './self-test.ts';

let redis: TestRedis;
let folder: string;
beforeAll(async () => {
  redis = await startTestRedis();
  folder = mkdtempSync(join(tmpdir(), 'lontar-self-test-'));
});
afterAll(async () => {
  await redis?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the key of the test request is gone afterwards, and its name is left for the row in the log', async () => {
  const sent: (string | string[] | undefined)[] = [];
  const gateway = createServer((request, response) => {
    sent.push(request.headers['x-api-key']);
    response.setHeader('x-masked', '3').end('{}');
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const { port } = gateway.address() as AddressInfo;
  const settings = checkSettings({});
  const choice = { settings, catalog: catalogOfVariables(settings), secretOf: () => undefined };
  const progress = { isTTY: false, write: () => true };
  const deps = { keys: { redis: redis.client, pepper: 'p'.repeat(32) }, home: homeAt(folder, folder), progress };
  const ask = () => testOnce({ ...deps, version: '1' }, `http://127.0.0.1:${port}`, choice);
  expect(await ask()).toMatchObject({ outcome: 'answered', masked: 3 });
  // A mere restart asks nothing.
  expect(await ask()).toEqual({ outcome: 'skipped' });
  await new Promise((resolve) => gateway.close(resolve));

  expect(sent).toHaveLength(1);
  const id = readKeyId(String(sent[0])) ?? '';
  expect(await redis.client.exists(redisKeys.apiKey(id))).toBe(0);
  expect(await redis.client.get(redisKeys.keyDeleted(id))).toBe('1 test of the start');
});
