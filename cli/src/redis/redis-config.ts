/** How a private Redis is reached. */
export type RedisDoor =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'port'; readonly port: number; readonly bind: string; readonly password: string };

/** Socket paths have about 104 bytes on some systems and 108 on others. */
const LONGEST_SOCKET_PATH_BYTES = 100;

/**
 * Whether a path can be a socket's: short enough, and the same when written in a URL, which is how services are told.
 */
export function canBeSocket(path: string): boolean {
  return Buffer.byteLength(path) <= LONGEST_SOCKET_PATH_BYTES && new URL(`unix://${path}`).pathname === path;
}

/**
 * The configuration of a private Redis: durable, never evicting (a lost job or key is a lost customer), and closed to
 * everybody else.
 */
export function redisConfig(folder: string, door: RedisDoor): string {
  return [
    ...doorLines(door),
    `dir ${quoted(folder)}`,
    'protected-mode yes',
    'daemonize no',
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    'loglevel notice',
    '',
  ].join('\n');
}

/** The address of a private Redis, as `REDIS_URL` takes it. */
export function redisUrl(door: RedisDoor): string {
  if (door.kind === 'socket') return `unix://${door.path}`;
  return `redis://:${encodeURIComponent(door.password)}@127.0.0.1:${door.port}`;
}

function doorLines(door: RedisDoor): string[] {
  if (door.kind === 'socket') return ['port 0', `unixsocket ${quoted(door.path)}`, 'unixsocketperm 700'];
  return [`port ${door.port}`, `bind ${door.bind}`, `requirepass ${quoted(door.password)}`];
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
