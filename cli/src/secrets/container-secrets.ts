import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SECRET_BYTES = 32;
/** Each folder is a volume that one container alone mounts; the users there differ, so that the files are for all. */
const FILE_MODE = 0o444;

/** Containers that get secrets, by the name of their folder. */
export const SECRET_FOLDERS = ['redis', 'gateway', 'worker', 'stats-service', 'grafana'] as const;
type Folder = (typeof SECRET_FOLDERS)[number];

interface Secret {
  /** Name of the file; a setting's name in small letters where it is one. */
  readonly name: string;
  /** Who gets it; nobody else can read it. */
  readonly folders: readonly Folder[];
  /** Its value before the operator sets one: random, nothing, or made from those before it. */
  readonly initial: 'random' | 'empty' | ((values: ReadonlyMap<string, string>) => string);
  /** Not to be set by itself. */
  readonly fixed?: true;
}

const SECRETS: readonly Secret[] = [
  { name: 'redis_password', folders: ['redis'], initial: 'random', fixed: true },
  // Read by redis-server itself: a password on its command line would show in the list of processes.
  {
    name: 'auth.conf',
    folders: ['redis'],
    initial: (values) => `requirepass ${values.get('redis_password') ?? ''}`,
    fixed: true,
  },
  {
    name: 'redis_url',
    folders: ['gateway', 'worker', 'stats-service'],
    initial: (values) => `redis://:${values.get('redis_password') ?? ''}@redis:6379`,
  },
  { name: 'key_pepper', folders: ['gateway'], initial: 'random' },
  { name: 'dashboard_token', folders: ['stats-service'], initial: 'random' },
  { name: 'grafana_password', folders: ['grafana'], initial: 'random' },
  { name: 'gemini_api_key', folders: ['worker'], initial: 'empty' },
  { name: 'openai_api_key', folders: ['worker'], initial: 'empty' },
  { name: 's3_access_key_id', folders: ['gateway'], initial: 'empty' },
  { name: 's3_secret_access_key', folders: ['gateway'], initial: 'empty' },
];

/** Secrets that the operator may set. */
export const SETTABLE_SECRETS: readonly string[] = SECRETS.filter(({ fixed }) => !fixed).map(({ name }) => name);

/**
 * Makes the secrets that are missing, each in the folders of the containers that need it. What is there stays, so that
 * this may run before every start.
 *
 * @param root where the folders are mounted
 * @returns names of the secrets that were made
 * @throws the system's error when a folder cannot be written
 */
export function makeMissingSecrets(root: string): string[] {
  const made: string[] = [];
  const values = new Map<string, string>();
  for (const secret of SECRETS) {
    const paths = secret.folders.map((folder) => join(root, folder, secret.name));
    const kept = paths.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8').trim());
    const value = kept[0] ?? initialValue(secret, values);
    values.set(secret.name, value);
    if (kept.length === 0) made.push(secret.name);
    // One of several that was lost, with its volume, gets the value of the others.
    for (const path of paths.filter((path) => !existsSync(path))) write(path, value);
  }
  return made;
}

/**
 * Sets a secret in all the folders that have it.
 *
 * @throws UnknownSecret
 */
export function setSecret(root: string, name: string, value: string): void {
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

function initialValue({ initial }: Secret, values: ReadonlyMap<string, string>): string {
  if (initial === 'random') return randomBytes(SECRET_BYTES).toString('base64url');
  return initial === 'empty' ? '' : initial(values);
}

/** Whole or not at all: a container that starts meanwhile must not read half a secret. */
function write(path: string, value: string): void {
  const draft = `${path}.draft`;
  writeFileSync(draft, `${value}\n`, { mode: FILE_MODE });
  renameSync(draft, path);
}
