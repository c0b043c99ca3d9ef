/** Where a server listens. */
export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

interface Login {
  readonly username?: string;
  readonly password?: string;
}

/** Sentinels that watch a primary and its replicas, and say which of them is the primary. */
export interface SentinelAddress extends Login {
  readonly kind: 'sentinel';
  readonly nodes: readonly RedisNode[];
  /** The name under which the Sentinels know the primary. */
  readonly primary: string;
  readonly db: number;
  readonly tls: boolean;
  readonly sentinel: Login;
}

/** Nodes of a cluster, one of which has the slot that all keys are in. */
export interface ClusterAddress extends Login {
  readonly kind: 'cluster';
  readonly nodes: readonly RedisNode[];
  readonly tls: boolean;
}

/** One Redis, behind one name: its URL or the path of its socket, as ioredis takes it. */
export interface SingleAddress {
  readonly kind: 'single';
  readonly url: string;
  readonly tls: boolean;
}

export type RedisAddress = SingleAddress | SentinelAddress | ClusterAddress;

export const SENTINEL_PORT = 26_379;
const REDIS_PORT = 6_379;
const MANY = /^redis(s?)\+(sentinel|cluster):\/\//;
const NODE = /^(?<host>\[[\da-f:.]+\]|[^\s[\]:]+)(?::(?<port>\d{1,5}))?$/i;
const SENTINEL_OPTIONS: ReadonlySet<string> = new Set(['db', 'sentinelUser', 'sentinelPassword']);

/**
 * Reads an address as `REDIS_URL` takes it.
 *
 * @throws Error whose message says what the address must be; it begins with "must", and holds no part of the address
 */
export function readRedisAddress(text: string): RedisAddress {
  if (/^rediss?\+/.test(text)) return readMany(text);
  // As settings hand a socket on: the path, and behind it what the client takes as options.
  if (text.startsWith('/')) return { kind: 'single', url: text, tls: false };
  const url = URL.parse(text);
  switch (url?.protocol) {
    case 'unix:':
      return { kind: 'single', url: url.pathname + url.search, tls: false };
    case 'redis:':
    case 'rediss:':
      return { kind: 'single', url: text, tls: url.protocol === 'rediss:' };
    default:
      throw new Error(
        'must be a redis://, rediss://, redis+sentinel:// or redis+cluster:// URL, or unix:///path/to/redis.sock',
      );
  }
}

/** Where the server is, as operators may read it: never a user or password. */
export function describeRedis(text: string): string {
  const address = addressOf(text);
  if (!address) return 'the configured address';
  if (address.kind === 'sentinel') return `${address.primary} (as the Sentinels ${listOf(address.nodes)} say)`;
  if (address.kind === 'cluster') return `the cluster of ${listOf(address.nodes)}`;
  if (address.url.startsWith('/')) return address.url.split('?')[0] ?? '';
  const { host, pathname } = new URL(address.url);
  return host === '' ? pathname : host;
}

/** What of an address must never be shown: its passwords; and the names of its hosts. */
export function partsOfAddress(text: string): {
  readonly passwords: readonly string[];
  readonly hosts: readonly string[];
} {
  const address = addressOf(text);
  if (!address) return { passwords: [], hosts: [] };
  if (address.kind === 'single') {
    // A socket's path has its password behind it.
    const { hostname, password, searchParams } = new URL(address.url, 'unix:///');
    return given([decodeURIComponent(password), searchParams.get('password')], [hostname]);
  }
  const behind = address.kind === 'sentinel' ? address.sentinel.password : undefined;
  return given(
    [address.password, behind],
    address.nodes.map(({ host }) => host),
  );
}

export function showNode({ host, port }: RedisNode): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export function listOf(nodes: readonly RedisNode[]): string {
  return nodes.map((node) => showNode(node)).join(', ');
}

function addressOf(text: string): RedisAddress | undefined {
  try {
    return readRedisAddress(text);
  } catch {
    return undefined;
  }
}

function given(passwords: readonly (string | null | undefined)[], hosts: readonly string[]) {
  return {
    passwords: passwords.filter((one): one is string => typeof one === 'string' && one !== ''),
    hosts: hosts.filter((one) => one !== ''),
  };
}

function readMany(text: string): SentinelAddress | ClusterAddress {
  const [scheme, secure, kind] = MANY.exec(text) ?? [];
  if (scheme === undefined) {
    throw new Error(
      'must be redis+sentinel://user:password@host:26379,host:26379/NAME or redis+cluster://user:password@host:6379,host:6379',
    );
  }
  const isSentinel = kind === 'sentinel';
  const [before, query] = splitAt(text.slice(scheme.length), '?');
  const [authority, encodedPath] = splitAt(before, '/');
  const at = authority.lastIndexOf('@');
  const options = new URLSearchParams(query);
  const shared = {
    nodes: readNodes(authority.slice(at + 1), isSentinel ? SENTINEL_PORT : REDIS_PORT),
    tls: secure === 's',
    ...readLogin(at === -1 ? undefined : authority.slice(0, at)),
  };
  const path = decode(encodedPath);
  if (!isSentinel) {
    if (path !== '' || options.size > 0)
      throw new Error('must have nothing behind the hosts of redis+cluster://: a cluster has one database');
    return { kind: 'cluster', ...shared };
  }
  const unknown = [...options.keys()].find((name) => !SENTINEL_OPTIONS.has(name));
  if (unknown !== undefined) throw new Error(`must have no options but ${[...SENTINEL_OPTIONS].join(', ')}`);
  if (path === '' || path.includes('/'))
    throw new Error("must end with the primary's name: redis+sentinel://host:26379/NAME");
  const db = options.get('db') ?? '0';
  if (!/^\d{1,4}$/.test(db)) throw new Error('must have a number as db: ?db=0');
  const sentinel = loginOf(options.get('sentinelUser') ?? '', options.get('sentinelPassword') ?? '');
  if (sentinel.username !== undefined && sentinel.password === undefined) {
    throw new Error('must have sentinelPassword beside sentinelUser');
  }
  return { kind: 'sentinel', primary: path, db: Number(db), sentinel, ...shared };
}

/** What is before the first of such a character, and what is behind it. */
function splitAt(text: string, character: string): [string, string] {
  const at = text.indexOf(character);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function readNodes(text: string, byDefault: number): RedisNode[] {
  return text.split(',').map((node) => {
    const { host = '', port = String(byDefault) } = NODE.exec(node.trim())?.groups ?? {};
    if (host === '' || Number(port) < 1 || Number(port) > 65_535) {
      throw new Error('must list hosts as host:port, separated by commas');
    }
    return { host: host.replaceAll(/[[\]]/g, ''), port: Number(port) };
  });
}

/** `user:password`, `:password` or nothing, each part encoded as in URLs. */
function readLogin(text: string | undefined): Login {
  if (text === undefined) return {};
  const colon = text.indexOf(':');
  if (colon === -1) throw new Error('must have a password behind the user name: user:password@');
  return loginOf(decode(text.slice(0, colon)), decode(text.slice(colon + 1)));
}

function loginOf(username: string, password: string): Login {
  return { ...(username !== '' && { username }), ...(password !== '' && { password }) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('must have % signs of names and passwords encoded as %25');
  }
}
