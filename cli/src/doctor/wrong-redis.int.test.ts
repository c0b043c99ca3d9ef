import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createLifecycle } from '@lontar/shared/lifecycle.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { connectFailFast } from '@lontar/shared/redis-connection.ts';
import { openRedis } from '@lontar/shared/redis-open.ts';
import { startTestSentinels, type TestSentinels } from '@lontar/shared/testing/redis-sentinels.ts';
import { freePort, startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { runInProcess } from '../../testing/run-in-process.ts';
import { startRedis } from '../start/start-redis.ts';

const OPENSSL = 'openssl';

/** Settings that are wrong, what each service ends with at its start, and what `doctor` says: the same. */
const WRONG: readonly (readonly [what: string, settings: () => Record<string, string>, sentence: RegExp])[] = [
  [
    'an unknown name of the primary',
    () => ({ REDIS_URL: login(`${open.url.slice(0, -open.name.length)}other`) }),
    /know no primary named other; correct the name at the end of REDIS_URL\./,
  ],
  [
    'Sentinels that disagree',
    () => ({ REDIS_URL: login(`redis+sentinel://${nodeOf(open)},${nodeOf(guarded)}/lontar?sentinelPassword=watch`) }),
    /The Sentinels disagree: 127\.0\.0\.1:\d+ names 127\.0\.0\.1:\d+ as lontar, \S+ names \S+; make all of them watch the same primary\.$/,
  ],
  [
    "the primary's password alone",
    () => ({ REDIS_URL: login(guarded.url) }),
    /The Sentinel \S+ asks for a password; give REDIS_URL \?sentinelPassword=… \(and sentinelUser\)\./,
  ],
  [
    "the Sentinels' password alone",
    () => ({ REDIS_URL: `${guarded.url}?sentinelPassword=watch` }),
    /it asks for a password, and the address has none\./,
  ],
  [
    'another authority than the one of the certificate',
    () => ({ REDIS_URL: `rediss://127.0.0.1:${tlsPort}`, REDIS_CA_FILE: join(folder, 'other.pem') }),
    /its certificate is not from an authority that is known here; set REDIS_CA_FILE to the one that made it\./,
  ],
  [
    'a node of a cluster that has not our slot',
    () => ({ REDIS_URL: `redis://127.0.0.1:${cluster.port}` }),
    /it is a node of a cluster that has not all keys; begin REDIS_URL with redis\+cluster\./,
  ],
  [
    'a cluster whose slots have nobody',
    () => ({ REDIS_URL: `redis+cluster://127.0.0.1:${cluster.port}` }),
    /no node of it has the slot of \{lontar\}\./,
  ],
  [
    'a cluster that knows no hash tags: CROSSSLOT',
    () => ({ REDIS_URL: `redis://127.0.0.1:${untagged.port}` }),
    /it does not keep keys of one hash tag, \{lontar\}, in one slot; use a cluster that does, without a proxy that renames keys\./,
  ],
];

/** Set-ups that serve, and are unsafe: what `npm start` and `doctor` say of them. */
const UNSAFE: readonly (readonly [what: string, make: () => Promise<unknown>, sentence: RegExp])[] = [
  [
    'a replica without persistence',
    () => replica().config('SET', 'appendonly', 'no'),
    /^The replica \S+ keeps no append-only file: as the primary it loses everything with its process\. There: CONFIG SET appendonly yes$/,
  ],
  [
    'a replica that evicts',
    () => replica().config('SET', 'maxmemory-policy', 'allkeys-lru'),
    /^The replica \S+ would drop data when its memory is full \(allkeys-lru\)\. There: CONFIG SET maxmemory-policy noeviction$/,
  ],
  [
    'a primary without persistence',
    () => (open.servers[0] as TestRedis).client.config('SET', 'appendonly', 'no'),
    /^Redis keeps no append-only file: a crash loses the last minutes, new keys included\. Set: CONFIG SET appendonly yes$/,
  ],
];
const replica = () => (open.servers[1] as TestRedis).client;

/** Sentinels without a password, and others with one; the primaries of both have one. */
let open: TestSentinels;
let guarded: TestSentinels;
let secure: TestRedis;
let tlsPort: number;
/** A cluster of one node, which has no slots; and one that has all, behind a proxy by which it takes our hash tag for none. */
let cluster: TestRedis;
let whole: TestRedis;
let untagged: { readonly port: number; stop(): void };
let folder: string;
/** What services end with, by what is wrong; all wait for as long as they wait for Redis. */
let starts: Map<string, Promise<string>>;

const nodeOf = ({ sentinels }: TestSentinels) => `127.0.0.1:${sentinels[0]?.port}`;
const login = (url: string) => url.replace('//', '//:data@');

beforeAll(async () => {
  // ioredis says there that a password is given to who asks for none.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  folder = mkdtempSync(join(tmpdir(), 'lontar-wrong-'));
  for (const name of ['own', 'other']) makeCertificate(name);
  tlsPort = await freePort();
  const protectedBy = { args: ['--requirepass', 'data', '--masterauth', 'data'], password: 'data' };
  const auth = 'sentinel auth-pass lontar data';
  [open, guarded, secure, cluster, whole] = await Promise.all([
    startTestSentinels({ ...protectedBy, sentinels: 1, sentinelLines: [auth] }),
    startTestSentinels({ ...protectedBy, sentinels: 1, sentinelLines: [auth, 'requirepass watch'] }),
    startTestRedis({
      args: [
        ...['--tls-port', String(tlsPort), '--tls-auth-clients', 'no', '--tls-ca-cert-file', join(folder, 'own.pem')],
        ...['--tls-cert-file', join(folder, 'own.pem'), '--tls-key-file', join(folder, 'own.key')],
      ],
    }),
    startTestRedis({ args: ['--cluster-enabled', 'yes'] }),
    startTestRedis({ args: ['--cluster-enabled', 'yes'] }),
  ]);
  await whole.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  untagged = await renameTags(whole.port);
  starts = new Map(WRONG.map(([what, settings]) => [what, start(settings())]));
});
afterAll(async () => {
  untagged.stop();
  await Promise.all([open.stop(), guarded.stop(), secure.stop(), cluster.stop(), whole.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

function makeCertificate(name: string): void {
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'.split(' ');
  const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const args = [...request, ...names, '-keyout', `${name}.key`, '-out', `${name}.pem`];
  execFileSync(OPENSSL, args, { cwd: folder, stdio: 'ignore' });
}

/** A proxy by which a server gets other names of keys, of the same length. */
async function renameTags(target: number): Promise<typeof untagged> {
  const server = createServer((client) => {
    const behind = connect(target, '127.0.0.1');
    client.on('data', (piece) => behind.write(piece.toString('latin1').replaceAll('{lontar}', '(lontar)'), 'latin1'));
    behind.pipe(client);
    for (const end of [client, behind]) end.on('error', () => undefined).on('close', () => void client.destroy());
    client.on('close', () => void behind.destroy());
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port, stop: () => void server.close() };
}

/** What a service says that cannot start. */
async function start(settings: Record<string, string>): Promise<string> {
  const target = { REDIS_URL: '', ...settings };
  const logger = createLogger('test', 'silent');
  const redis = connectFailFast(target, 'test');
  try {
    await openRedis(target, [redis], logger, createLifecycle(logger));
    return 'it serves';
  } catch (error) {
    return (error as Error).message;
  } finally {
    redis.disconnect();
  }
}

describe('a Redis that is set wrong is named in one sentence, at the start and by doctor', () => {
  test.each(WRONG)('%s', async (what, settings, sentence) => {
    const said = await starts.get(what);
    const { out, code } = await runInProcess(
      folder,
      { ...settings(), LONTAR_HOME: join(folder, 'home'), LONTAR_COMMAND: 'npm run lontar --' },
      ['doctor', '--json'],
    );
    const { checks } = JSON.parse(out) as { checks: { check: string; status: string; detail: string }[] };
    const found = checks.filter(({ check, status }) => check === 'redis' && status === 'failed');
    expect({ said, code, found }).toEqual({
      said: expect.stringMatching(sentence),
      code: 4,
      found: [expect.objectContaining({ detail: expect.stringMatching(sentence) })],
    });
    for (const text of [said, found[0]?.detail]) {
      expect(text).toMatch(/^Redis (?:cannot be reached )?at /);
      expect(text).not.toMatch(/:data@|watch@|sentinelPassword=watch|npm (?:run|start)/);
    }
  });
});

test.each(UNSAFE)('%s is said by doctor and at the start, in one sentence', async (_what, make, sentence) => {
  await make();
  const settings = { REDIS_URL: login(open.url) };
  const { out } = await runInProcess(folder, { ...settings, LONTAR_HOME: join(folder, 'home') }, ['doctor', '--json']);
  const { checks } = JSON.parse(out) as { checks: { check: string; status: string; detail: string }[] };
  const warnings = checks.filter(({ check, status }) => check.startsWith('redis') && status === 'warning');
  expect(warnings.map(({ detail }) => detail)).toContainEqual(expect.stringMatching(sentence));
  const said: string[] = [];
  const deps = { surroundings: { environment: settings }, settings, say: (text: string) => said.push(text) };
  await startRedis(deps as unknown as Parameters<typeof startRedis>[0]);
  expect(said).toContainEqual(expect.stringMatching(new RegExp(`^Warning: ${sentence.source.slice(1)}`)));
});
