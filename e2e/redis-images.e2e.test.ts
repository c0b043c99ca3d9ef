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

interface Started {
  readonly container: StartedTestContainer;
  readonly stack: Stack;
}

async function start(image: string, program: string): Promise<Started> {
  const users = testUsers();
  const container = await new GenericContainer(image)
    .withCommand([program, '--appendonly', 'yes', '--maxmemory-policy', 'noeviction', ...users.args])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .start();
  const redisUrl = `redis://${container.getHost()}:${container.getMappedPort(6379)}`;
  const stack = await startStack({ stats: true, users, settings: { ...BLACK_BOX_SETTINGS, REDIS_URL: redisUrl } });
  return { container, stack };
}

const isHere = canRun(...SERVERS.map(([image]) => image));
/** Both at once: the second is ready when the first has been tested. */
const started = new Map<string, Promise<Started>>();
beforeAll(() => {
  if (!isHere) return;
  for (const [image, program] of SERVERS) {
    const starting = start(image, program);
    // A failure is one of the tests that wait for it.
    starting.catch(() => undefined);
    started.set(image, starting);
  }
});
afterAll(async () => {
  for (const starting of started.values()) {
    const there = await starting.catch(() => undefined);
    await there?.stack.stop();
    await there?.container.stop();
  }
});

/** Every script, the queue, the streams and the users, on the servers that operators have. */
(isHere ? describe : describe.skip).each(SERVERS)('on %s in a container', (image, _program) => {
  let service: BlackBox;

  beforeAll(async () => {
    service = await blackBoxOf((await (started.get(image) as Promise<Started>)).stack);
  });

  testWhatRedisDecides(() => service);
});
