import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { freePort, redisBinary } from '@lontar/shared/testing/redis-server.ts';
import { parse, parseAllDocuments } from 'yaml';
import { connectOnce } from '../redis/connect.ts';

const REDIS_CLI = 'redis-cli';

/** A command of the manifest's, as the pod runs it. */
interface Container {
  readonly name: string;
  readonly command: readonly string[];
  readonly args?: readonly string[];
  readonly readinessProbe: { readonly exec?: { readonly command: readonly string[] } };
}
interface Volume {
  readonly secret?: { readonly items: readonly { readonly key: string; readonly path: string }[] };
}
interface StatefulSet {
  readonly kind: string;
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly Container[]; readonly volumes: Volume[] } };
  };
}

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const manifests = parseAllDocuments(read('deploy/kubernetes-ha/redis.yaml')).map((one) => one.toJS() as StatefulSet);
const { containers, volumes } = (manifests.find(({ kind }) => kind === 'StatefulSet') as StatefulSet).spec.template
  .spec;
const scripts = (parse(read('deploy/kubernetes-ha/scripts.yaml')) as { data: Readonly<Record<string, string>> }).data;
/** Pods have a network each; here each has an address of the loopback interface. */
const ADDRESSES = ['127.0.12.1', '127.0.12.2', '127.0.12.3'];

let folder: string;
let redisPort: number;
let sentinelPort: number;
const running = new Map<string, ChildProcess>();
const isLinux = process.platform === 'linux';

beforeAll(async () => {
  [redisPort, sentinelPort] = [await freePort(), await freePort()];
  folder = mkdtempSync(join(tmpdir(), 'lontar-pods-'));
  for (const name of ['made', 'secrets', 'scripts', 'bin']) mkdirSync(join(folder, name));
  execFileSync('sh', [new URL('deploy/redis/make-users', root).pathname, '--ha', join(folder, 'made')]);
  for (const { key, path } of volumes.flatMap(({ secret }) => secret?.items ?? [])) {
    copyFileSync(join(folder, 'made', key), join(folder, 'secrets', path));
  }
  // The image's name of the server, whichever this machine has.
  const server = execFileSync('sh', ['-c', `command -v ${redisBinary()}`], { encoding: 'utf8' }).trim();
  symlinkSync(server, join(folder, 'bin', 'redis-server'));
  if (!isLinux) return;
  // Before any is started: a shell reads its script as it runs it.
  ADDRESSES.forEach(writeScripts);
  for (const self of ADDRESSES) for (const { name } of containers) start(self, name);
});
afterAll(async () => {
  await Promise.all([...running.values()].map(kill));
  rmSync(folder, { recursive: true, force: true });
});

/** What a pod runs, with the ports, folders and addresses of this test in it. */
function inPlace(text: string, self: string): string {
  return text
    .replaceAll('26379', String(sentinelPort))
    .replaceAll(/\b6379\b/g, String(redisPort))
    .replaceAll('/run/secrets', join(folder, 'secrets'))
    .replaceAll('/scripts/', join(folder, 'scripts', `${self}-`))
    .replaceAll('/data/', join(folder, self, '/'))
    .replaceAll('/tmp\n', `${join(folder, self)}\n`)
    .replace(/^port \d+$/m, `$&\nbind ${self}`);
}

function writeScripts(self: string): void {
  mkdirSync(join(folder, self));
  for (const [file, text] of Object.entries(scripts)) {
    writeFileSync(join(folder, 'scripts', `${self}-${file}`), inPlace(text, self));
  }
}

function start(self: string, name: string): void {
  const { command, args = [] } = containers.find((one) => one.name === name) as Container;
  const words = [...command, ...args].map((word) => inPlace(word, self));
  const own = name === 'redis' ? ['--bind', self, '--port', String(redisPort)] : [];
  const child = spawn(words[0] as string, [...words.slice(1), ...own], {
    cwd: join(folder, self),
    stdio: 'ignore',
    env: { ...pathOfPods(), SELF: self, SENTINELS: ADDRESSES.join(' '), FIRST: ADDRESSES[0] },
  });
  running.set(`${name} ${self}`, child);
}

const pathOfPods = () => ({ PATH: `${join(folder, 'bin')}:${process.env['PATH']}` });

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** By the address that the operator's commands have, once it leads to a primary that takes writes. */
async function primary(): Promise<Redis> {
  const url = readFileSync(join(folder, 'made', 'redis-url-operator'), 'utf8');
  const nodes = ADDRESSES.map((address) => `${address}:${sentinelPort}`).join(',');
  const here = url.replace(/@[^/]+\//, `@${nodes}/`);
  for (;;) {
    const redis = await connectOnce(here, 'test').catch(() => undefined);
    const isWritten = await redis?.set('{lontar}:probe:test', '1').catch(() => undefined);
    if (redis && isWritten) return redis;
    redis?.disconnect();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function untilFollowed(redis: Redis): Promise<void> {
  const online = async () => [...(await redis.info('replication')).matchAll(/state=online/g)].length;
  while ((await online()) < ADDRESSES.length - 1) await new Promise((resolve) => setTimeout(resolve, 100));
}

/** Until every Sentinel names it. */
async function untilNamed(address: string): Promise<void> {
  const password = readFileSync(join(folder, 'made', 'sentinel-client-password'), 'utf8');
  const ask = ['-p', String(sentinelPort), '--user', 'client', 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'lontar'];
  const env = { ...pathOfPods(), REDISCLI_AUTH: password };
  const isNamedBy = (self: string) =>
    execFileSync(REDIS_CLI, ['-h', self, ...ask], { env, encoding: 'utf8' }).startsWith(`${address}\n`);
  while (!ADDRESSES.every(isNamedBy)) await new Promise((resolve) => setTimeout(resolve, 100));
}

(isLinux ? test : test.skip)(
  'what the pods run makes a primary with two replicas, which the Sentinels name and the probes find ready',
  async () => {
    const first = await primary();
    expect(first.stream.remoteAddress).toBe(ADDRESSES[0]);
    await untilFollowed(first);
    await untilNamed(ADDRESSES[0] as string);
    for (const self of ADDRESSES) {
      const [shell = '', ...words] = containers[0]?.readinessProbe.exec?.command ?? [];
      const probe = words.map((word) =>
        inPlace(word, self).replace('redis-cli', `redis-cli -h ${self} -p ${redisPort}`),
      );
      execFileSync(shell, probe, { env: pathOfPods() });
    }
    first.disconnect();
  },
  180_000,
);
