import { type RedisUser, redisUserLines } from '@lontar/shared/redis-users.ts';

/** How a private Redis is reached. */
export type RedisDoor =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'port'; readonly port: number; readonly bind: string };

/**
 * Who gets in: the users of redis-users.ts, or, where this Redis knows none of what they need, clients with the one
 * password; without one, users who may open the socket.
 */
export type RedisAccess =
  | { readonly kind: 'users'; readonly passwords: Readonly<Record<RedisUser, string>> }
  | { readonly kind: 'password'; readonly password?: string };

/** Socket paths have about 104 bytes on some systems and 108 on others. */
const LONGEST_SOCKET_PATH_BYTES = 100;

/**
 * Whether a path can be a socket's: short enough, and the same when written in a URL, which is how services get it.
 */
export function canBeSocket(path: string): boolean {
  return Buffer.byteLength(path) <= LONGEST_SOCKET_PATH_BYTES && new URL(`unix://${path}`).pathname === path;
}

/**
 * The configuration of a private Redis: durable, never evicting (a lost job or key is a lost customer), and closed to
 * all others.
 *
 * @param log its log; not standard output, because Redis opens a file anew for each line, so that it can be rotated
 */
export function redisConfig(folder: string, door: RedisDoor, access: RedisAccess, log: string): string {
  return [
    ...doorLines(door),
    ...accessLines(access),
    `dir ${quoted(folder)}`,
    'protected-mode yes',
    'daemonize no',
    'appendonly yes',
    'appendfsync everysec',
    // Under load the file is rewritten every few seconds, by a process that needs a core: compressing the texts in it took a
    // tenth of the throughput, and rewriting it whenever it has doubled takes twice the processor time that it takes when it has tripled.
    'rdbcompression no',
    'auto-aof-rewrite-percentage 200',
    'save ""',
    'maxmemory-policy noeviction',
    'loglevel notice',
    `logfile ${quoted(log)}`,
    '',
  ].join('\n');
}

/** The address of a private Redis for one of its users, as `REDIS_URL` takes it. */
export function redisUrl(door: RedisDoor, access: RedisAccess, user: RedisUser): string {
  const name = access.kind === 'users' ? user : '';
  const password = access.kind === 'users' ? access.passwords[user] : (access.password ?? '');
  if (door.kind === 'port') return `redis://${name}:${encodeURIComponent(password)}@127.0.0.1:${door.port}`;
  const options = password === '' ? '' : `?${new URLSearchParams({ username: name, password }).toString()}`;
  return `unix://${door.path}${options}`;
}

function doorLines(door: RedisDoor): string[] {
  if (door.kind === 'socket') return ['port 0', `unixsocket ${quoted(door.path)}`, 'unixsocketperm 700'];
  return [`port ${door.port}`, `bind ${door.bind}`];
}

function accessLines(access: RedisAccess): string[] {
  if (access.kind === 'users') return redisUserLines(access.passwords);
  return access.password === undefined ? [] : [`requirepass ${quoted(access.password)}`];
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
