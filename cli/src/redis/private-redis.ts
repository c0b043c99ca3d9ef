import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { REDIS_USERS, type RedisUser } from '@lontar/shared/redis-users.ts';
import { replaceFile } from '../files/new-file.ts';
import type { Home, SecretName } from '../home/home.ts';
import { readOrMakeSecret } from '../home/secrets.ts';
import type { PortFinder } from '../processes/ports.ts';
import type { ProcessSpec } from '../processes/running-child.ts';
import { filesOf } from '../processes/service-process.ts';
import type { Surroundings } from '../settings/environment.ts';
import { systemEnvironment } from '../settings/services.ts';
import { runQuietly } from '../system/run-quietly.ts';
import { connectOnce } from './connect.ts';
import { dockerEnvironment } from './obtain-redis.ts';
import { canBeSocket, type RedisAccess, type RedisDoor, redisConfig, redisUrl } from './redis-config.ts';
import type { RedisProgram } from './redis-program.ts';

const FIRST_PORT = 6380;
/** The first that knows all that our users are made of; Valkey began as 7.2. */
const FIRST_WITH_USERS = 7;
const VERSION_TIMEOUT_MS = 5_000;
const LOOK_EVERY_MS = 25;

export interface PrivateRedis {
  readonly spec: ProcessSpec;
  /** As `REDIS_URL` takes it, for one of the users. */
  urlOf(user: RedisUser): string;
  /** What the operator should know about it. */
  readonly warning?: string;
}

/**
 * Prepares the Redis that `npm start` runs: its folder, its configuration and how it is reached. A socket where that
 * can be, else a loopback port; and a user with a password for each service and the operator, either way. They are made
 * at the first start that finds none, also of an installation that had one password for all.
 *
 * @throws the system's error when folder or configuration cannot be written; StartFailure when no port is free
 */
export async function preparePrivateRedis(
  program: RedisProgram,
  surroundings: Surroundings,
  ports: PortFinder,
): Promise<PrivateRedis> {
  const { home, environment } = surroundings;
  const file = join(home.redis, 'redis.conf');
  const writeConfig = (text: string) => replaceFile(file, text);
  const files = { ...filesOf(home, 'redis'), name: 'redis', workingFolder: home.redis };
  if (program.kind === 'docker') {
    const port = await ports.firstFree(FIRST_PORT, '127.0.0.1');
    const access = usersOf(home);
    writeConfig(redisConfig('/data', { kind: 'port', port: 6379, bind: '0.0.0.0' }, access, '/logs/redis.log'));
    const args = dockerArguments(program.image, home, port);
    return {
      urlOf: (user) => redisUrl({ kind: 'port', port, bind: '127.0.0.1' }, access, user),
      spec: { ...files, command: program.path, args, environment: dockerEnvironment(environment) },
    };
  }
  const door: RedisDoor = canBeSocket(home.redisSocket)
    ? { kind: 'socket', path: home.redisSocket }
    : { kind: 'port', port: await ports.firstFree(FIRST_PORT, '127.0.0.1'), bind: '127.0.0.1' };
  const libraries = program.libraries === undefined ? {} : { LD_LIBRARY_PATH: program.libraries };
  const variables = { ...systemEnvironment(environment), ...libraries };
  const hasUsers = await knowsUsers(program.path, variables);
  const access = hasUsers ? usersOf(home) : passwordOf(home, door);
  writeConfig(redisConfig(home.redis, door, access, files.log));
  return {
    urlOf: (user) => redisUrl(door, access, user),
    spec: { ...files, command: program.path, args: [file], environment: variables },
    ...(hasUsers ? {} : { warning: OLD_REDIS }),
  };
}

const OLD_REDIS =
  'This Redis is older than 7.0, so that all services share all rights in it. A newer one gives each its own user.';

/** Whether a server's version has users with all that ours are made of; not where it does not say. */
async function knowsUsers(path: string, environment: Readonly<Record<string, string>>): Promise<boolean> {
  const { output } = await runQuietly(path, ['--version'], { environment, timeoutMs: VERSION_TIMEOUT_MS });
  return Number(/\bv=(\d+)\./.exec(output)?.[1] ?? 0) >= FIRST_WITH_USERS;
}

function usersOf(home: Home): RedisAccess {
  const entries = REDIS_USERS.map((user) => [user, readOrMakeSecret(home, secretOf(user))] as const);
  return { kind: 'users', passwords: Object.fromEntries(entries) as Record<RedisUser, string> };
}

/** A socket that only its owner may open needs none. */
function passwordOf(home: Home, door: RedisDoor): RedisAccess {
  return door.kind === 'socket'
    ? { kind: 'password' }
    : { kind: 'password', password: readOrMakeSecret(home, 'REDIS_PASSWORD') };
}

function secretOf(user: RedisUser): SecretName {
  return `REDIS_${user.toUpperCase().replace('-', '_')}_PASSWORD` as SecretName;
}

/**
 * Resolves when Redis takes commands, its data loaded.
 *
 * @param connection as ioredis takes it
 * @throws when the signal fires first; a Redis that fails is tried again until then
 */
export async function untilRedisReady(connection: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const redis = await connectOnce(connection, 'lontar-start').catch(() => undefined);
    redis?.disconnect();
    if (redis) return;
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}

function dockerArguments(image: string, { redis: folder, logs }: Home, port: number): string[] {
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const name = `lontar-redis-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`;
  return [
    'run',
    '--rm',
    '--init',
    `--name=${name}`,
    `--user=${user}`,
    `--publish=127.0.0.1:${port}:6379`,
    `--volume=${folder}:/data`,
    `--volume=${logs}:/logs`,
    image,
    'redis-server',
    '/data/redis.conf',
  ];
}
