import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createRegistry } from '@lontar/shared/metrics.ts';
import { statsMetrics } from '@lontar/shared/stats-metrics.ts';
import { startTestSentinels, type TestSentinels } from '@lontar/shared/testing/redis-sentinels.ts';
import { exportTopology } from './export-topology.ts';

let fleet: TestSentinels;

beforeAll(async () => {
  fleet = await startTestSentinels();
});
afterAll(() => fleet.stop());

test('replicas, Sentinels that agree and failovers are told', async () => {
  const registry = createRegistry('stats-service', '0');
  const exported = exportTopology({ REDIS_URL: fleet.url }, statsMetrics(registry));
  const look = async () => {
    const { client } = await fleet.primary();
    const lines = (await client.info()).split('\r\n').map((line) => line.split(/:(.*)/) as [string, string]);
    await exported(new Map(lines));
    const text = await registry.metrics();
    const valueOf = (name: string) => Number(new RegExp(`^${name}(?:\\{[^}]*\\})? ([\\d.]+)`, 'm').exec(text)?.[1]);
    return {
      replicas: valueOf('redis_connected_replicas'),
      failovers: valueOf('redis_failovers_total'),
      sentinels: valueOf('redis_sentinels_agree'),
    };
  };
  expect(await look()).toEqual({ replicas: 1, failovers: 0, sentinels: 1.5 });
  await fleet.failover();
  expect(await look()).toMatchObject({ failovers: 1, sentinels: 1.5 });
  await Promise.all(fleet.sentinels.slice(1).map((sentinel) => sentinel.kill()));
  expect(await look()).toMatchObject({ failovers: 1, sentinels: 0.5 });
});
