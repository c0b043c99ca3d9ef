import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type FailoverPasswords, sentinelUserLines } from '@lontar/shared/redis-failover-users.ts';

/** The containers of the profile `ha` that watch the Redis of it. */
export const SENTINELS = ['sentinel-1', 'sentinel-2', 'sentinel-3'] as const;

const SECRET_BYTES = 32;
const PASSWORDS: Readonly<Record<keyof FailoverPasswords, string>> = {
  replica: 'redis_replica_password',
  sentinel: 'redis_sentinel_password',
  client: 'sentinel_client_password',
};
const SENTINEL_USERS = 'sentinel_users.conf';
/** What the containers run, from the folder that they mount anyway; without it a Redis starts alone. */
const SCRIPTS = { node: 'redis-node.sh', sentinel: 'redis-sentinel.sh' } as const;

/** Whether Redis is started as one of several. */
export function isFailoverMade(folder: string): boolean {
  return existsSync(join(folder, SCRIPTS.node));
}

/** The passwords of several Redis and their Sentinels, where there were such once. */
export function readFailover(folder: string): FailoverPasswords | undefined {
  const { replica, sentinel, client } = Object.fromEntries(
    Object.entries(PASSWORDS).map(([user, file]) => [user, read(join(folder, file))]),
  );
  return replica && sentinel && client ? { replica, sentinel, client } : undefined;
}

/**
 * Writes what several Redis and their Sentinels need; passwords that are there stay.
 *
 * @param folder the one that they mount
 * @param made gets the names of passwords that were missing
 * @throws the system's error when the folder cannot be written
 */
export function makeFailover(
  folder: string,
  write: (path: string, value: string) => void,
  made: string[],
): FailoverPasswords {
  for (const file of Object.values(PASSWORDS)) {
    if (existsSync(join(folder, file))) continue;
    write(join(folder, file), randomBytes(SECRET_BYTES).toString('base64url'));
    made.push(file);
  }
  const passwords = readFailover(folder) as FailoverPasswords;
  write(join(folder, SENTINEL_USERS), sentinelUserLines(passwords).join('\n'));
  // The one that a Redis looks for comes last: with it, all is there.
  for (const script of [SCRIPTS.sentinel, SCRIPTS.node]) {
    write(join(folder, script), readFileSync(new URL(`./${script}`, import.meta.url), 'utf8').trimEnd());
  }
  return passwords;
}

/** Takes away by what Redis starts as one of several; the passwords stay. @throws the system's error when it cannot */
export function endFailover(folder: string): void {
  for (const file of [...Object.values(SCRIPTS), SENTINEL_USERS]) rmSync(join(folder, file), { force: true });
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}
