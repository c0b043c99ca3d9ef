import { expect, test } from '@jest/globals';
import { startTestRedis } from '@lontar/shared/testing/redis-server.ts';
import { until } from './eventually.ts';
import { startStack } from './stack.ts';

test('of a stack that cannot start whole nothing is left running', async () => {
  const redis = await startTestRedis();
  let wasStopped = false;
  // It stays up for the test, to see who is connected.
  const watched = { ...redis, stop: async () => void (wasStopped = true) };
  try {
    // stats-service is up when the worker refuses its settings.
    const started = startStack({ redis: watched, stats: true, settings: { WORKER_CONCURRENCY: 'none' } });
    await expect(started).rejects.toThrow('worker-1 ended without saying "the worker takes jobs"');
    expect(wasStopped).toBe(true);
    await until(
      async () =>
        String(await redis.client.client('LIST'))
          .trim()
          .split('\n').length === 1,
    );
  } finally {
    await redis.stop();
  }
}, 120_000);
