import type { TestRedis } from '@lontar/shared/testing/redis-server.ts';

/** Everything in Redis, as text. */
export async function dumpRedis(client: TestRedis['client']): Promise<string> {
  const parts: string[] = [];
  for (const name of await client.keys('*')) {
    const read: Record<string, () => Promise<unknown>> = {
      string: () => client.get(name),
      hash: () => client.hgetall(name),
      list: () => client.lrange(name, 0, -1),
      set: () => client.smembers(name),
      zset: () => client.zrange(name, '0', '-1'),
      stream: () => client.xrange(name, '-', '+'),
    };
    parts.push(name, JSON.stringify(await read[await client.type(name)]?.()));
  }
  return parts.join('\n');
}
