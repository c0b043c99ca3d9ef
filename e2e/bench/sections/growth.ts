import { hashApiKey, mintApiKey } from '@lontar/shared/api-key.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { fillWindows } from '@lontar/shared/testing/windows.ts';
import { measureRound } from '../measure.ts';
import { generationRequest, startServiceUnderTest } from '../processes/service-under-test.ts';
import type { GrowthRow } from '../results.ts';
import { promptFor } from '../wish.ts';
import type { Upstream } from './contenders.ts';

/** Keys and addresses that the load uses in turn. */
const USED = 2_000;
const STEPS = [
  { keys: USED, addresses: USED },
  { keys: 10_000, addresses: 100_000 },
  { keys: 100_000, addresses: 1_000_000 },
] as const;
const AT_ONCE = 5_000;

/**
 * What a request costs, and how much memory Redis takes, as keys and addresses become many.
 *
 * @throws when a process does not start, or Redis fails
 */
export async function measureGrowth(upstream: Upstream): Promise<GrowthRow[]> {
  const settings = { TRUST_PROXY: '127.0.0.1' };
  const service = await startServiceUnderTest({ upstreamPort: upstream.port, settings });
  try {
    const prompt = promptFor({ bytes: 2_048, delayMs: 0 });
    const minted = Array.from({ length: USED }, () => mintApiKey());
    await storeKeys(
      service.redis,
      minted.map(({ id, key }) => [id, hashApiKey(key, service.pepper)]),
    );
    const requests = minted.map(({ key }, n) =>
      generationRequest(prompt, key, `X-Forwarded-For: 20.0.${Math.floor(n / 256)}.${n % 256}\r\n`),
    );
    const target = { name: 'service', ports: service.ports, requests, processes: service.processes };
    await measureRound(target, { connections: 10, seconds: 5, warmUpSeconds: 0 });
    const rows: GrowthRow[] = [];
    let [keys, addresses]: number[] = [USED, USED];
    for (const step of STEPS) {
      keys = await addKeys(service.redis, keys ?? 0, step.keys);
      addresses = await addAddresses(service.redis, addresses ?? 0, step.addresses);
      const { p50, p99, cpuMicros } = await measureRound(target, { connections: 10, seconds: 3 });
      const memory = await service.redis.client.info('memory');
      const redisMegabytes = Number(/\r\nused_memory:(\d+)/.exec(memory)?.[1]) / 1e6;
      rows.push({ ...step, redisMegabytes, p50, p99, redisCpuMicros: cpuMicros['redis'] ?? 0 });
    }
    return rows;
  } finally {
    await service.stop();
  }
}

async function addKeys(redis: TestRedis, from: number, to: number): Promise<number> {
  for (let start = from; start < to; start += AT_ONCE) {
    const ids = Array.from({ length: Math.min(AT_ONCE, to - start) }, (_, n) => String(start + n).padStart(10, '0'));
    await storeKeys(
      redis,
      ids.map((id) => [id, `no key has this hash, but it is as long ${id}`]),
    );
  }
  return Math.max(from, to);
}

async function addAddresses(redis: TestRedis, from: number, to: number): Promise<number> {
  for (let start = from; start < to; start += AT_ONCE) {
    const windows = Array.from({ length: Math.min(AT_ONCE, to - start) }, (_, n) => hourOf(start + n));
    await fillWindows(redis.client, windows, 1);
  }
  return Math.max(from, to);
}

function hourOf(n: number): string {
  const bytes = [20 + (n >> 24), (n >> 16) & 255, (n >> 8) & 255, n & 255];
  return redisKeys.addressHour(bytes.join('.'));
}

/** As `lontar keys create` stores them. */
async function storeKeys(redis: TestRedis, keys: readonly (readonly [id: string, hash: string])[]): Promise<void> {
  const pipeline = redis.client.pipeline();
  for (const [id, hash] of keys) {
    const fields = { id, hash, state: 'active', createdAt: String(Date.now()), charged: '0', name: 'bench' };
    pipeline.hset(redisKeys.apiKey(id), fields).zadd(redisKeys.apiKeyIndex, Date.now(), id);
  }
  await pipeline.exec();
}
