import { afterAll, beforeAll, describe } from '@jest/globals';
import { testUsers } from '@lontar/shared/testing/redis-users.ts';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { blackBoxOf } from './black-box/processes.ts';
import { BLACK_BOX_SETTINGS, type BlackBox } from './black-box/service.ts';
import { testWhatRedisDecides } from './black-box/suite.ts';
import { canRun } from './harness/docker.ts';
import { type Stack, startStack } from './harness/stack.ts';

const SERVERS = [
  ['redis:8', 'redis-server'],
  ['valkey/valkey:8', 'valkey-server'],
] as const;

/** Every script, the queue, the streams and the users, on the servers that operators have. */
(canRun(...SERVERS.map(([image]) => image)) ? describe : describe.skip).each(SERVERS)(
  'on %s in a container',
  (image, program) => {
    const users = testUsers();
    let container: StartedTestContainer | undefined;
    let stack: Stack | undefined;
    let service: BlackBox;

    beforeAll(async () => {
      container = await new GenericContainer(image)
        .withCommand([program, '--appendonly', 'yes', '--maxmemory-policy', 'noeviction', ...users.args])
        .withExposedPorts(6379)
        .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
        .start();
      const redisUrl = `redis://${container.getHost()}:${container.getMappedPort(6379)}`;
      stack = await startStack({ stats: true, users, settings: { ...BLACK_BOX_SETTINGS, REDIS_URL: redisUrl } });
      service = await blackBoxOf(stack);
    }, 120_000);
    afterAll(async () => {
      await stack?.stop();
      await container?.stop();
    }, 60_000);

    testWhatRedisDecides(() => service);
  },
);
