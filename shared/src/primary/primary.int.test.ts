import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestSentinels, type TestSentinels } from '../../testing/redis-sentinels.ts';
import { freePort, startTestRedis, type TestRedis } from '../../testing/redis-server.ts';
import { createLifecycle } from '../lifecycle.ts';
import { createLogger } from '../logger.ts';
import { connectFailFast, connectOnceTo, connectPatient, type Redis, type RedisTarget } from '../redis-connection.ts';
import { openRedis } from '../redis-open.ts';
import { explainRedisFailure } from './explain-failure.ts';

const TIMES = { connectTimeout: 3_000, commandTimeout: 3_000 };

/** What an operator reads of an address that does not serve. */
async function whyNot(target: RedisTarget): Promise<string> {
  const redis = connectOnceTo(target, 'test', TIMES);
  let cause: unknown;
  redis.on('error', (error) => {
    cause ??= error;
  });
  try {
    await redis.connect();
    await redis.set('{lontar}:probe:test', '1');
    return 'it serves';
  } catch (error) {
    return explainRedisFailure(cause ?? error);
  } finally {
    redis.disconnect();
  }
}

async function portOf(redis: Redis): Promise<number> {
  return Number(/^tcp_port:(\d+)/m.exec(await redis.info('server'))?.[1]);
}

describe('by Sentinels', () => {
  let fleet: TestSentinels;
  beforeAll(async () => {
    fleet = await startTestSentinels({ sentinelLines: ['requirepass watch'] });
  });
  afterAll(() => fleet.stop());
  const url = () => `${fleet.url}?sentinelPassword=watch`;

  test('connections go to the primary, after a failover to the new one, and repeat what the old one refuses', async () => {
    const [fast, patient] = [connectFailFast(url(), 'fast'), connectPatient(url(), 'patient')];
    for (const redis of [fast, patient]) redis.on('error', () => undefined);
    const lifecycle = createLifecycle(createLogger('test', 'silent'));
    await openRedis(url(), [fast, patient], createLogger('test', 'silent'), lifecycle);
    const before = await fleet.primary();
    expect([await portOf(fast), await portOf(patient)]).toEqual([before.port, before.port]);

    const after = await fleet.failover();
    const isThere = (redis: Redis) =>
      portOf(redis).then(
        (port) => port === after.port,
        () => false,
      );
    // The old one serves on for a moment, and closes no connection of its own accord.
    for (const redis of [fast, patient]) while (!(await isThere(redis))) await new Promise(setImmediate);
    await patient.set('{lontar}:probe:test', 'kept');
    expect(await after.client.get('{lontar}:probe:test')).toBe('kept');
    fast.disconnect();
    patient.disconnect();
    await lifecycle.stop(1_000, Promise.resolve());
  });

  test('what is wrong is said in one sentence', async () => {
    const [one, two] = fleet.sentinels.map(({ port }) => `127.0.0.1:${port}`);
    expect(await whyNot(url())).toBe('it serves');
    expect(await whyNot(fleet.url)).toMatch(
      /^The Sentinel 127.0.0.1:\d+ asks for a password; give REDIS_URL \?sentinelPassword/,
    );
    expect(await whyNot(`${fleet.url}?sentinelPassword=x`)).toMatch(/refuses sentinelUser and sentinelPassword/);
    expect(await whyNot(`redis+sentinel://${one},${two}/other?sentinelPassword=watch`)).toBe(
      `The Sentinels ${one}, ${two} know no primary named other; correct the name at the end of REDIS_URL.`,
    );
    const nobody = await freePort();
    expect(await whyNot(`redis+sentinel://127.0.0.1:${nobody}/lontar`)).toBe(
      `None of the Sentinels 127.0.0.1:${nobody} can be asked: nothing listens there.`,
    );
    const primary = await fleet.primary();
    expect(await whyNot(`redis+cluster://127.0.0.1:${primary.port}`)).toMatch(
      /is no node of a cluster; begin REDIS_URL with redis:/,
    );
    expect(await whyNot(url().replace('//', '//:secret@'))).not.toContain('secret');
  });
});

describe('in a cluster', () => {
  let node: TestRedis;
  beforeAll(async () => {
    node = await startTestRedis({ args: ['--cluster-enabled', 'yes'] });
    await node.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    while (!String(await node.client.call('CLUSTER', 'INFO')).includes('cluster_state:ok')) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
  afterAll(() => node.stop());

  test('connections go to the node with our slot', async () => {
    const redis = connectPatient(`redis+cluster://127.0.0.1:${node.port}`, 'test');
    await redis.connect();
    expect(await portOf(redis)).toBe(node.port);
    redis.disconnect();
  });

  test('a node without it is told apart', async () => {
    await node.client.call('CLUSTER', 'DELSLOTS', String(await node.client.call('CLUSTER', 'KEYSLOT', '{lontar}')));
    expect(await whyNot(`redis://127.0.0.1:${node.port}`)).toMatch(/begin REDIS_URL with redis\+cluster/);
    expect(await whyNot(`redis+cluster://127.0.0.1:${node.port}`)).toMatch(/no node of it has the slot/);
  });
});

describe('over TLS', () => {
  let folder: string;
  let server: TestRedis;
  let port: number;
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const authority = (name: string) =>
    openssl(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      ...['-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.pem`],
    );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lontar-tls-'));
    for (const name of ['ca', 'other']) authority(name);
    openssl(
      'req',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=redis',
      ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', 'own.key', '-out', 'own.csr'],
    );
    openssl(
      'x509',
      '-req',
      '-in',
      'own.csr',
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-days',
      '2',
      '-copy_extensions',
      'copy',
      '-out',
      'own.pem',
    );
    await writeFile(file('serial'), '01');
    port = await freePort();
    server = await startTestRedis({
      args: [
        '--tls-port',
        String(port),
        '--tls-cert-file',
        file('own.pem'),
        '--tls-key-file',
        file('own.key'),
        '--tls-ca-cert-file',
        file('ca.pem'),
      ],
    });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('both sides prove who they are, and what is wrong is said in one sentence', async () => {
    const target = (settings: Record<string, string>) => ({ REDIS_URL: `rediss://127.0.0.1:${port}`, ...settings });
    const own = { REDIS_CERT_FILE: file('own.pem'), REDIS_KEY_FILE: file('own.key') };
    expect(await whyNot(target({ REDIS_CA_FILE: file('ca.pem'), ...own }))).toBe('it serves');
    expect(await whyNot(target({ REDIS_CA_FILE: file('other.pem'), ...own }))).toMatch(
      /set REDIS_CA_FILE to the one that made it/,
    );
    expect(await whyNot(target(own))).toMatch(/set REDIS_CA_FILE/);
    expect(await whyNot(target({ REDIS_CA_FILE: file('ca.pem') }))).toMatch(/REDIS_CERT_FILE and REDIS_KEY_FILE/);
    expect(await whyNot(`rediss://127.0.0.1:${server.port}`)).not.toBe('it serves');
  });

  test('files that are of no use are refused before anything is tried', () => {
    const refused = (settings: Record<string, string>) => () =>
      connectFailFast({ REDIS_URL: 'rediss://127.0.0.1:1', ...settings }, 'test');
    expect(refused({ REDIS_CA_FILE: '/nowhere' })).toThrow('REDIS_CA_FILE names a file that cannot be read: /nowhere');
    expect(refused({ REDIS_CA_FILE: file('own.csr') })).not.toThrow();
    expect(refused({ REDIS_CA_FILE: file('serial') })).toThrow('REDIS_CA_FILE names a file that is not PEM');
    expect(refused({ REDIS_CERT_FILE: file('own.pem') })).toThrow('REDIS_CERT_FILE and REDIS_KEY_FILE belong together');
    expect(refused({ REDIS_URL: 'redis://127.0.0.1:1', REDIS_CA_FILE: file('ca.pem') })).toThrow(
      'would have no effect',
    );
  });
});
