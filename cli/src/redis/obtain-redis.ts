import type { Environment } from '@lontar/shared/config/read-config.ts';
import { StartFailure } from '../failure/start-failure.ts';
import type { Home } from '../home/home.ts';
import { systemEnvironment } from '../settings/services.ts';
import { canInstallPackages, installPackages } from '../system/apt.ts';
import { findProgram } from '../system/programs.ts';
import { type ProgressStream, withProgress } from '../system/progress.ts';
import { runQuietly } from '../system/run-quietly.ts';
import type { RedisProgram } from './redis-program.ts';
import { unpackRedis } from './unpacked-redis.ts';

const SERVERS = ['redis-server', 'valkey-server'];
const DOCKER_TAG = 'redis:8';
/** The very image that docker-compose.yml names. */
const DOCKER_IMAGE = `${DOCKER_TAG}@sha256:d5ac52db24d4e70566fe9944f22cf5bdc2bc739b05c0f426335161ea6c23f3b3`;
const DOCKER_ANSWER_MS = 5_000;
const PULL_TIMEOUT_MS = 10 * 60_000;

/**
 * Finds a Redis server, or gets one: on PATH, else through the system's packages, else out of these packages unpacked in
 * `LONTAR_HOME`, for which no rights are needed, else as a container.
 *
 * @throws StartFailure that says what was tried and what to do
 */
export async function obtainRedis(
  environment: Environment,
  home: Home,
  progress: ProgressStream,
): Promise<RedisProgram> {
  const present = findProgram(SERVERS, environment['PATH']);
  if (present !== undefined) return { kind: 'server', path: present };
  const troubles: string[] = [];
  if (await canInstallPackages(environment)) {
    const apt = await withProgress('Installing redis-server through apt (about half a minute)', progress, () =>
      installPackages(['redis-server'], environment),
    );
    const installed = findProgram(SERVERS, environment['PATH']);
    if (installed !== undefined) return { kind: 'server', path: installed };
    troubles.push(`apt could not install redis-server: ${apt.reason}`);
  } else troubles.push('This user cannot install redis-server (no apt, not root, no sudo without a password).');
  const unpacked = await unpackRedis(environment, home, progress);
  if (typeof unpacked !== 'string') return unpacked;
  troubles.push(unpacked);
  const docker = await tryDocker(environment, progress);
  if (typeof docker !== 'string') return docker;
  troubles.push(docker);
  throw new StartFailure(
    `Lontar needs Redis, and this machine has none.\n${troubles.map((trouble) => `  - ${trouble}`).join('\n')}\nDo one of these, then run npm start again:\n  - install it: sudo apt-get install redis-server (Debian, Ubuntu), brew install redis (macOS)\n  - name one that runs elsewhere: REDIS_URL=redis://host:6379 npm start\n  - start a Docker engine`,
  );
}

/** @returns why not, where Docker cannot serve */
async function tryDocker(environment: Environment, progress: ProgressStream): Promise<RedisProgram | string> {
  const path = findProgram(['docker'], environment['PATH']);
  if (path === undefined) return 'There is no Docker on this machine.';
  const variables = dockerEnvironment(environment);
  const engine = await runQuietly(path, ['version', '--format', '{{.Server.Version}}'], {
    environment: variables,
    timeoutMs: DOCKER_ANSWER_MS,
  });
  if (!engine.succeeded) return 'Docker is installed, but its engine does not answer.';
  const isHere = async (image: string) =>
    (await runQuietly(path, ['image', 'inspect', image], { environment: variables })).succeeded;
  if (await isHere(DOCKER_IMAGE)) return { kind: 'docker', path, image: DOCKER_IMAGE };
  const pull = await withProgress(`Fetching ${DOCKER_TAG} for Docker`, progress, () =>
    runQuietly(path, ['pull', DOCKER_IMAGE], { environment: variables, timeoutMs: PULL_TIMEOUT_MS }),
  );
  if (pull.succeeded) return { kind: 'docker', path, image: DOCKER_IMAGE };
  // An engine without a registry has what was put there by hand.
  if (await isHere(DOCKER_TAG)) return { kind: 'docker', path, image: DOCKER_TAG };
  return `Docker could not fetch ${DOCKER_IMAGE}: ${pull.output}`;
}

/** The system's environment and what says to the docker client which engine to use. */
export function dockerEnvironment(environment: Environment): Record<string, string> {
  const own = Object.entries(environment).filter(([name, value]) => name.startsWith('DOCKER_') && value !== undefined);
  return { ...systemEnvironment(environment), ...(Object.fromEntries(own) as Record<string, string>) };
}
