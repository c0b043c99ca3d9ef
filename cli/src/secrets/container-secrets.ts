import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type FailoverPasswords, failoverLines } from '@lontar/shared/redis-failover-users.ts';
import { REDIS_USERS, type RedisUser, redisUserLines } from '@lontar/shared/redis-users.ts';
import { replaceFile } from '../files/new-file.ts';
import { endFailover, isFailoverMade, makeFailover, readFailover, SENTINELS } from './failover-secrets.ts';

const SECRET_BYTES = 32;
/** Each folder is a volume that one container alone mounts; the users there differ, so that the files are for all. */
const FILE_MODE = 0o444;

/** Containers that get secrets, by the name of their folder. */
export const SECRET_FOLDERS = [
  'redis',
  'gateway',
  'worker',
  'stats-service',
  'prometheus',
  'alertmanager',
  'grafana',
] as const;
type Folder = (typeof SECRET_FOLDERS)[number];

interface Secret {
  /** Name of the file; a setting's name in small letters where it is one. */
  readonly name: string;
  /** The service that gets it; no other can read it. */
  readonly folders: readonly Folder[];
  /** Its value before the operator sets one. */
  readonly initial: 'random' | 'empty';
  /** Not to be set by itself. */
  readonly fixed?: true;
}

const SECRETS: readonly Secret[] = [
  ...REDIS_USERS.map(
    (user): Secret => ({ name: passwordName(user), folders: ['redis'], initial: 'random', fixed: true }),
  ),
  { name: 'key_pepper', folders: ['gateway', 'stats-service'], initial: 'random' },
  { name: 'inner_secret', folders: ['gateway', 'stats-service', 'prometheus'], initial: 'random' },
  { name: 'dashboard_token', folders: ['stats-service'], initial: 'random' },
  { name: 'grafana_password', folders: ['grafana'], initial: 'random' },
  { name: 'alert_webhook_url', folders: ['alertmanager'], initial: 'empty' },
  { name: 'gemini_api_key', folders: ['worker'], initial: 'empty' },
  { name: 'openai_api_key', folders: ['worker'], initial: 'empty' },
  { name: 's3_access_key_id', folders: ['gateway'], initial: 'empty' },
  { name: 's3_secret_access_key', folders: ['gateway'], initial: 'empty' },
];

const REDIS_URL = 'redis_url';
/** How many replicas gateways wait for, where the entry point of the image is to say it (deploy/image/lontar-run). */
const REPLICAS_ACK = { folder: 'gateway', name: 'redis_replicas_ack' } as const;

/** One Redis, or several that Sentinels watch (the profile `ha` of docker-compose.yml). */
export type Topology = 'single' | 'sentinels';

/**
 * Where Redis is, for each of its users; one value for all where the operator names another Redis. Operators' commands
 * are run in the gateway's container (deploy/image/lontar), which therefore has their address beside its own.
 */
const REDIS_URLS: readonly { readonly folder: Folder; readonly name: string; readonly user: RedisUser }[] = [
  { folder: 'gateway', name: REDIS_URL, user: 'gateway' },
  { folder: 'gateway', name: 'operator_redis_url', user: 'operator' },
  { folder: 'worker', name: REDIS_URL, user: 'worker' },
  { folder: 'stats-service', name: REDIS_URL, user: 'stats-service' },
];
/** Read by redis-server itself: on its command line the users would show in the list of processes. */
const REDIS_CONFIG = { folder: 'redis', name: 'auth.conf' } as const;
/** The one password that installations had before there were users. */
const FORMER_PASSWORD = { folder: 'redis', name: 'redis_password' } as const;

/** Secrets that the operator may set. */
export const SETTABLE_SECRETS: readonly string[] = [
  REDIS_URL,
  ...SECRETS.filter(({ fixed }) => !fixed).map(({ name }) => name),
];

/**
 * Makes the secrets that are missing, each in the folders of the containers that need it. What is there stays, so that
 * this may run before every start; only an installation that has one password of Redis for all gets users instead.
 *
 * @param root where the folders are mounted
 * @param topology what Redis is to consist of from now on; by default what it does
 * @returns names of the secrets that were made
 * @throws the system's error when a folder cannot be written
 */
export function makeMissingSecrets(root: string, topology: Topology = topologyOf(root)): string[] {
  const made: string[] = [];
  const values = new Map<string, string>();
  for (const secret of SECRETS) {
    const paths = secret.folders.map((folder) => join(root, folder, secret.name));
    const kept = paths.map(read).find((value) => value !== undefined);
    const value = kept ?? (secret.initial === 'random' ? randomBytes(SECRET_BYTES).toString('base64url') : '');
    values.set(secret.name, value);
    if (kept === undefined) made.push(secret.name);
    // One of several that was lost, with its volume, gets the value of the others.
    for (const path of paths.filter((path) => !existsSync(path))) write(path, value);
  }
  const passwords = REDIS_USERS.map((user) => [user, values.get(passwordName(user)) ?? ''] as const);
  const access = {
    passwords: Object.fromEntries(passwords) as Record<RedisUser, string>,
    failover: readFailover(join(root, 'redis')),
  };
  if (topology === 'sentinels') access.failover = makeFailover(join(root, 'redis'), write, made);
  else endFailover(join(root, 'redis'));
  return [...made, ...makeRedisAccess(root, access, topology)];
}

function topologyOf(root: string): Topology {
  return isFailoverMade(join(root, 'redis')) ? 'sentinels' : 'single';
}

interface RedisAccess {
  readonly passwords: Readonly<Record<RedisUser, string>>;
  /** Where Redis consists, or once consisted, of several. */
  readonly failover: FailoverPasswords | undefined;
}

/** Writes what follows from the passwords: Redis's own configuration, and the addresses that are not the operator's. */
function makeRedisAccess(root: string, { passwords, failover }: RedisAccess, topology: Topology): string[] {
  const made: string[] = [];
  const put = ({ folder, name }: { folder: Folder; name: string }, value: string) => {
    const path = join(root, folder, name);
    if (read(path) === value) return;
    write(path, value);
    made.push(name);
  };
  const several = topology === 'sentinels' ? failover : undefined;
  put(REDIS_CONFIG, [...redisUserLines(passwords), ...(several ? failoverLines(several) : [])].join('\n'));
  const former = read(join(root, FORMER_PASSWORD.folder, FORMER_PASSWORD.name));
  const own = new Set(REDIS_USERS.map((user) => ownRedisUrl(user, passwords[user])));
  if (former !== undefined) own.add(ownRedisUrl('', former));
  for (const user of failover ? REDIS_USERS : []) own.add(ownRedisUrl(user, passwords[user], failover));
  const kept = REDIS_URLS.map(({ folder, name }) => read(join(root, folder, name)));
  const named = kept.find((url) => url !== undefined && url !== '' && !own.has(url));
  for (const place of REDIS_URLS) put(place, named ?? ownRedisUrl(place.user, passwords[place.user], several));
  if (several) put(REPLICAS_ACK, '1');
  else rmSync(join(root, REPLICAS_ACK.folder, REPLICAS_ACK.name), { force: true });
  return made;
}

function ownRedisUrl(user: RedisUser | '', password: string, failover?: FailoverPasswords): string {
  if (!failover) return `redis://${user}:${password}@redis:6379`;
  const sentinels = SENTINELS.map((name) => `${name}:26379`).join(',');
  return `redis+sentinel://${user}:${password}@${sentinels}/lontar?sentinelUser=client&sentinelPassword=${failover.client}`;
}

/**
 * Sets a secret in all the folders that have it.
 *
 * @throws UnknownSecret
 */
export function setSecret(root: string, name: string, value: string): void {
  if (name === REDIS_URL) {
    for (const place of REDIS_URLS) write(join(root, place.folder, place.name), value.trim());
    return;
  }
  const secret = SECRETS.find((candidate) => candidate.name === name && !candidate.fixed);
  if (secret === undefined) throw new UnknownSecret(name);
  for (const folder of secret.folders) write(join(root, folder, name), value.trim());
}

export class UnknownSecret extends Error {
  constructor(name: string) {
    super(`There is no secret "${name}" to set. There are: ${SETTABLE_SECRETS.join(', ')}.`);
    this.name = 'UnknownSecret';
  }
}

function passwordName(user: RedisUser): string {
  return `redis_${user.replace('-', '_')}_password`;
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

/** Whole or not at all: a container that starts meanwhile must not read half a secret. */
function write(path: string, value: string): void {
  replaceFile(path, `${value}\n`, FILE_MODE);
}
