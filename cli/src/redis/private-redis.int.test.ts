import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { createHome, homeAt } from '../home/home.ts';
import { createPortFinder } from '../processes/ports.ts';
import { findProgram } from '../system/programs.ts';
import { connectOnce } from './connect.ts';
import { type PrivateRedis, preparePrivateRedis, untilRedisReady } from './private-redis.ts';

let folder: string;
let server: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lontar-private-'));
});
afterEach(async () => {
  await end();
  rmSync(folder, { recursive: true });
});

/** As `npm start` does it: prepares its own Redis and waits until the operator can use it. */
async function startRedis(): Promise<PrivateRedis> {
  const home = homeAt('home', folder);
  createHome(home);
  const path = findProgram(['redis-server', 'valkey-server'], process.env['PATH']) ?? '';
  const surroundings = { root: folder, folder, environment: process.env, fromFile: new Set<string>(), home };
  const prepared = await preparePrivateRedis({ kind: 'server', path }, surroundings, createPortFinder());
  const { command, args, workingFolder } = prepared.spec;
  server = spawn(command, args, { cwd: workingFolder, stdio: 'ignore' });
  await untilRedisReady(connectionOf(prepared.urlOf('operator')), AbortSignal.timeout(20_000));
  return prepared;
}

async function end(): Promise<void> {
  if (server === undefined || server.exitCode !== null) return;
  const gone = once(server, 'exit');
  server.kill('SIGTERM');
  await gone;
}

const connectionOf = (url: string) => url.replace(/^unix:\/\//, '');

test('what its users wrote in transactions and scripts is there after a restart', async () => {
  const key = redisKeys.apiKey('A1b2C3d4E5');
  const first = await startRedis();
  const writer = await connectOnce(connectionOf(first.urlOf('operator')), 'test');
  await writer.multi().hset(key, 'state', 'active').hincrby(key, 'charged', 1).exec();
  await writer.eval("redis.call('HINCRBY', KEYS[1], 'charged', '1')", 1, key);
  writer.disconnect();
  await end();

  const second = await startRedis();
  expect(second.urlOf('gateway')).toBe(first.urlOf('gateway'));
  const operator = await connectOnce(connectionOf(second.urlOf('operator')), 'test');
  expect(await operator.hgetall(key)).toEqual({ state: 'active', charged: '2' });
  operator.disconnect();
});

test('no client gets in without a password, and its files hold none', async () => {
  const { urlOf } = await startRedis();
  const [path = ''] = connectionOf(urlOf('operator')).split('?');
  await expect(connectOnce(path, 'test')).rejects.toThrow(/asks for a password/);
  const wrong = connectOnce(`${path}?username=default&password=x`, 'test');
  await expect(wrong).rejects.toThrow(/password or user name is wrong/);
  const config = readFileSync(join(folder, 'home', 'redis', 'redis.conf'), 'utf8');
  const secrets = join(folder, 'home', 'secrets');
  const names = readdirSync(secrets);
  expect(names).toHaveLength(5);
  for (const name of names) {
    expect(statSync(join(secrets, name)).mode & 0o777).toBe(0o600);
    expect(config).not.toContain(readFileSync(join(secrets, name), 'utf8').trim());
  }
});
