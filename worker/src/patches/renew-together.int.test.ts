import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectPatient } from '@lontar/shared/redis-connection.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { startTcpProxy } from '@lontar/shared/testing/tcp-proxy.ts';
import { renewTogether } from './renew-together.ts';

let server: TestRedis;

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

test.each([
  ['is idle', false],
  ['waits for a reply', true],
])('a connection that %s is made anew with one that was lost, and repeats its command', async (_how, isWaiting) => {
  const [watched, renewed] = ['watched', 'renewed'].map((name) => connectPatient(server.url, name));
  if (!watched || !renewed) throw new Error('two connections');
  await Promise.all([watched.connect(), renewed.connect()]);
  renewTogether(watched, renewed);
  const [lostId, oldId] = await Promise.all([watched.client('ID'), renewed.client('ID')]);
  const popped = isWaiting ? renewed.bzpopmin('marker', 0) : undefined;
  const isRenewed = new Promise<void>((resolve) => {
    renewed.once('ready', resolve);
  });

  await server.client.client('KILL', 'ID', lostId);
  await isRenewed;

  if (popped) {
    await server.client.zadd('marker', 0, 'job');
    expect(await popped).toEqual(['marker', 'job', '0']);
  }
  expect(await renewed.client('ID')).not.toBe(oldId);
  watched.disconnect();
  renewed.disconnect();
});

test('one that hangs while it is made anew goes on as well', async () => {
  const proxy = await startTcpProxy(server.port);
  const watched = connectPatient(server.url, 'watched');
  const renewed = connectPatient(`redis://127.0.0.1:${proxy.port}`, 'renewed');
  const errors: string[] = [];
  renewed.on('error', (error: Error) => errors.push(error.message));
  await Promise.all([watched.connect(), renewed.connect()]);
  renewTogether(watched, renewed);
  proxy.mode('hold');
  const connects = once(renewed, 'connect');
  renewed.disconnect(true);
  await connects;
  // What was sent until now is answered by nobody.
  proxy.mode('lose');
  proxy.mode('pass');
  const isReady = once(renewed, 'ready');
  await server.client.client('KILL', 'ID', await watched.client('ID'));
  await isReady;
  expect(errors.filter((message) => message.includes('timeout'))).toEqual([]);
  watched.disconnect();
  renewed.disconnect();
  await proxy.stop();
});
