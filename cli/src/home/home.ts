import { accessSync, chmodSync, chownSync, constants, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UnusableHome } from '../failure/unusable-home.ts';

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
 * Looks whether a home can be what it is for: its folder, or the nearest one above it that is there, is no file.
 *
 * @throws UnusableHome
 */
export function requireFolder({ folder }: Home): void {
  let path = folder;
  // A link that leads nowhere is found as missing, and then cannot be made.
  while (lookAt(path) === 'missing' && path !== dirname(path)) path = dirname(path);
  if (lookAt(path) === 'file') throw new UnusableHome(folder, path === folder ? 'is a file' : `is inside of a file`);
}

/** A user of this machine, and their group. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Whose a home is: the owner of its folder, or of the nearest one above it that is there. */
export function ownerOf({ folder }: Home): Owner {
  let path = folder;
  while (lookAt(path) === 'missing' && path !== dirname(path)) path = dirname(path);
  const { uid, gid } = statSync(path);
  return { uid, gid };
}

/**
 * Creates what is missing of a home, for its owner's eyes alone.
 *
 * @param owner where root makes it for another user, whom what root made there is given to
 * @throws UnusableHome when it is a file or cannot be written to; an error when it is another user's, and where a part of
 *   it is a link
 */
export function createHome(home: Home, owner?: Owner): void {
  requireFolder(home);
  try {
    makeFolders(home.folder);
    accessSync(home.folder, constants.W_OK);
  } catch (error) {
    throw new UnusableHome(home.folder, reasonOf(error as NodeJS.ErrnoException));
  }
  for (const folder of [home.folder, home.run, home.logs, home.redis, join(home.folder, 'secrets')]) {
    // A link would put secrets where another user has rights; the home itself may be one, that the operator made.
    if (folder !== home.folder && lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new Error(`${folder} is a symbolic link, and must be a folder of this user alone. Remove it.`);
    }
    makeFolders(folder);
    chmodSync(folder, 0o700);
    if (owner !== undefined && process.getuid?.() === 0 && statSync(folder).uid === 0) {
      chownSync(folder, owner.uid, owner.gid);
    }
  }
}

/**
 * One after the other: Node's own `recursive` never ends where a folder that is there refuses to have another one with
 * ENOENT, as /proc does.
 */
function makeFolders(folder: string): void {
  if (lookAt(folder) === 'folder') return;
  if (dirname(folder) !== folder) makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || lookAt(folder) !== 'folder') throw error;
  }
}

/** What stands under a name, links followed. */
function lookAt(path: string): 'folder' | 'file' | 'missing' {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return 'missing';
  }
}

function reasonOf({ code }: NodeJS.ErrnoException): string {
  if (code === 'EROFS') return 'is on a file system that is read-only';
  if (code === 'EACCES' || code === 'EPERM') return 'is where this user may not write';
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'is on a disk that is full';
  return `cannot be made (${code ?? 'unknown'})`;
}
