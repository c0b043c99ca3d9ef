import { hashApiKey, mintApiKey } from '@lontar/shared/api-key.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { measureRound } from '../measure.ts';
import { generationRequest, startService } from '../processes/service-under-test.ts';
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

/** An address's hour with one request in it, in the form of admit.lua; made inside Redis, because a million are many. */
const FILL_ADDRESSES = `
local second = redis.call('TIME')[1]
for n = tonumber(ARGV[1]), tonumber(ARGV[2]) - 1 do
  local address = string.format('%d.%d.%d.%d', 20 + math.floor(n / 16777216), math.floor(n / 65536) % 256, math.floor(n / 256) % 256, n % 256)
  redis.call('RPUSH', KEYS[1] .. address, struct.pack('>I4dI4d', second, 0, second, 1))
  redis.call('EXPIRE', KEYS[1] .. address, 3602)
end`;

/** What a request costs, and how much memory Redis takes, as keys and addresses become many. */
export async function measureGrowth(upstream: Upstream): Promise<GrowthRow[]> {
  const settings = { TRUST_PROXY: '127.0.0.1' };
  const service = await startService({ upstreamPort: upstream.port, settings });
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
    await redis.client.eval(FILL_ADDRESSES, 1, redisKeys.addressHour(''), start, Math.min(to, start + AT_ONCE));
  }
  return Math.max(from, to);
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
