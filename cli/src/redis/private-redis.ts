import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readOrMakeSecret } from '../home/secrets.ts';
import type { Surroundings } from '../settings/environment.ts';
import { systemEnvironment } from '../settings/services.ts';
import type { PortFinder } from '../start/ports.ts';
import type { ProcessSpec } from '../start/running-child.ts';
import { filesOf } from '../start/service-process.ts';
import { connectOnce } from './connect.ts';
import { dockerEnvironment, type RedisProgram } from './obtain-redis.ts';
import { canBeSocket, type RedisDoor, redisConfig, redisUrl } from './redis-config.ts';

const FIRST_PORT = 6380;
const LOOK_EVERY_MS = 25;

export interface PrivateRedis {
  readonly spec: ProcessSpec;
  /** As `REDIS_URL` takes it. */
  readonly url: string;
}

/**
 * Prepares the Redis that `npm start` runs: its folder, its configuration and how it is reached. A socket where that
 * can be; else a loopback port with a password, because other users of the machine reach loopback ports too.
 */
export async function preparePrivateRedis(
  program: RedisProgram,
  surroundings: Surroundings,
  ports: PortFinder,
): Promise<PrivateRedis> {
  const { home, environment } = surroundings;
  const file = join(home.redis, 'redis.conf');
  const writeConfig = (text: string) => writeFileSync(file, text, { mode: 0o600 });
  const files = { ...filesOf(home, 'redis'), name: 'redis', workingFolder: home.redis };
  if (program.kind === 'docker') {
    const port = await ports.firstFree(FIRST_PORT, '127.0.0.1');
    const password = readOrMakeSecret(home, 'REDIS_PASSWORD');
    writeConfig(redisConfig('/data', { kind: 'port', port: 6379, bind: '0.0.0.0', password }));
    const url = redisUrl({ kind: 'port', port, bind: '127.0.0.1', password });
    const args = dockerArguments(program.image, home.redis, port);
    return { url, spec: { ...files, command: program.path, args, environment: dockerEnvironment(environment) } };
  }
  const door: RedisDoor = canBeSocket(home.redisSocket)
    ? { kind: 'socket', path: home.redisSocket }
    : {
        kind: 'port',
        port: await ports.firstFree(FIRST_PORT, '127.0.0.1'),
        bind: '127.0.0.1',
        password: readOrMakeSecret(home, 'REDIS_PASSWORD'),
      };
  writeConfig(redisConfig(home.redis, door));
  const spec = { ...files, command: program.path, args: [file], environment: systemEnvironment(environment) };
  return { url: redisUrl(door), spec };
}

/**
 * Resolves when Redis takes commands, its data loaded.
 *
 * @param connection as ioredis takes it
 */
export async function untilRedisReady(connection: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const redis = await connectOnce(connection, 'lontar-start').catch(() => undefined);
    redis?.disconnect();
    if (redis) return;
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}

function dockerArguments(image: string, folder: string, port: number): string[] {
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
    image,
    'redis-server',
    '/data/redis.conf',
  ];
}
