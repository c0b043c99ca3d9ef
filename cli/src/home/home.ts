import { chmodSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where `npm start` keeps what must outlive it: secrets, Redis data, logs, and what is running. */
export interface Home {
  readonly folder: string;
  /** Process ids and the running service's addresses; empty while nothing runs. */
  readonly run: string;
  readonly logs: string;
  readonly redis: string;
  readonly secret: (name: SecretName) => string;
  /** What `lontar` finds the running service by. */
  readonly endpoint: string;
  readonly redisSocket: string;
}

/** Secrets that are made once and kept, each in a file of its own. */
export type SecretName = 'KEY_PEPPER' | 'DASHBOARD_TOKEN' | 'REDIS_PASSWORD';

/** The names of what is in a home; nothing is created. Relative folders are taken from `root`. */
export function homeAt(folder: string, root: string): Home {
  const path = resolve(root, folder);
  return {
    folder: path,
    run: join(path, 'run'),
    logs: join(path, 'logs'),
    redis: join(path, 'redis'),
    secret: (name) => join(path, 'secrets', name.toLowerCase().replaceAll('_', '-')),
    endpoint: join(path, 'run', 'endpoint.json'),
    redisSocket: join(path, 'run', 'redis.sock'),
  };
}

/**
 * Creates what is missing of a home, for its owner's eyes alone.
 *
 * @throws the system's error when the folder cannot be created or is somebody else's
 */
export function createHome(home: Home): void {
  for (const folder of [home.folder, home.run, home.logs, home.redis, join(home.folder, 'secrets')]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  }
}
