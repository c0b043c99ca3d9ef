import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
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

/** Secrets of the services that `npm start` makes where the operator gives none, by the names of their settings. */
export const SERVICE_SECRETS = ['KEY_PEPPER', 'DASHBOARD_TOKEN', 'INNER_SECRET'] as const;

/** Secrets that are made once and kept, each in a file of its own. */
export type SecretName =
  | (typeof SERVICE_SECRETS)[number]
  /** Of a Redis that knows no users. */
  | 'REDIS_PASSWORD'
  | `REDIS_${'GATEWAY' | 'WORKER' | 'STATS_SERVICE' | 'OPERATOR' | 'PROBE'}_PASSWORD`;

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
 * @throws the system's error when the folder cannot be created or is another user's, and where a part of it is a link
 */
export function createHome(home: Home): void {
  for (const folder of [home.folder, home.run, home.logs, home.redis, join(home.folder, 'secrets')]) {
    // A link would put secrets where another user has rights; the home itself may be one, that the operator made.
    if (folder !== home.folder && lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new Error(`${folder} is a symbolic link, and must be a folder of this user alone. Remove it.`);
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  }
}
