import { afterEach, describe, expect, test } from '@jest/globals';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { ask, expectSuccess } from './harness/client.ts';
import { hasDocker } from './harness/docker.ts';
import { eventually } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

(hasDocker ? describe : describe.skip)('on a Redis in a container', () => {
  let container: StartedTestContainer | undefined;
  let stack: Stack | undefined;
  afterEach(async () => {
    await stack?.stop();
    await container?.stop();
  });

  test.each(['redis:8', 'valkey/valkey:8'])(
    '%s serves keys, limits, jobs and statistics',
    async (image) => {
      container = await new GenericContainer(image)
        .withCommand([image.includes('valkey') ? 'valkey-server' : 'redis-server', '--appendonly', 'yes'])
        .withExposedPorts(6379)
        .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
        .start();
      const redisUrl = `redis://${container.getHost()}:${container.getMappedPort(6379)}`;
      stack = await startStack({ stats: true, settings: { REDIS_URL: redisUrl } });
      const { url } = stack;
      stack.upstream.behave({ kind: 'answer', text: 'The server is 203.0.113.77.' });
      const { key } = await stack.createKey('--per-hour', '5');
      const replies = await Promise.all(
        Array.from({ length: 8 }, () =>
          ask(url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': key } }),
        ),
      );
      const answered = replies.filter(({ status }) => status === 200);
      expect(answered).toHaveLength(5);
      for (const reply of answered) expect(expectSuccess(reply)).toBe('The server is ***IP_ADDRESS***.');
      expect(replies.filter(({ status }) => status === 429)).toHaveLength(3);
      await eventually(async () => {
        const usage = (await ask(url, '/api/usage')).body as { result: { total: { requests: number } } };
        return usage.result.total.requests === 8;
      }, 10_000);
    },
    120_000,
  );
});
