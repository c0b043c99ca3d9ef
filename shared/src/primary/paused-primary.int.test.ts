import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { startTestSentinels, type TestSentinels } from '../../testing/redis-sentinels.ts';
import { meetingOf } from '../clock-correction.ts';
import { connectFailFast, connectPatient, type Redis } from '../redis-connection.ts';
import { followPrimary } from './follow-primary.ts';

const LIST = '{lontar}:probe:list';

let fleet: TestSentinels;
let connections: Redis[] = [];
let following: { stop(): void };
beforeAll(async () => {
  fleet = await startTestSentinels();
});
afterEach(() => {
  following.stop();
  for (const redis of connections) redis.disconnect();
});
afterAll(async () => {
  for (const server of fleet.servers) server.process().kill('SIGCONT');
  await fleet.stop();
});

const untilServed = async (redis: Redis) => {
  const isServed = () =>
    redis.set('{lontar}:probe:test', '1').then(
      () => true,
      () => false,
    );
  while (!(await isServed())) await new Promise((resolve) => setTimeout(resolve, 20));
};

test('no connection hangs at a primary that stands still and closes none: what blocked there goes on at the next one', async () => {
  connections = [
    connectFailFast(fleet.url, 'fast'),
    connectPatient(fleet.url, 'patient'),
    connectFailFast(fleet.url, 'idle'),
  ];
  for (const redis of connections) redis.on('error', () => undefined);
  await Promise.all(connections.map((redis) => redis.connect()));
  following = followPrimary(fleet.url, connections);
  const [fast, patient, idle] = connections as [Redis, Redis, Redis];
  // As a worker waits for jobs.
  const waited = patient.blpop(LIST, 0);
  await untilServed(fast);
  // It asks nothing, and would wait for no reply: the Sentinels' news alone say that its server is the primary no more.
  await meetingOf(idle);
  const isRenewed = new Promise<void>((resolve) => void idle.once('ready', resolve));
  const before = await fleet.primary();
  before.process().kill('SIGSTOP');
  const after = await fleet.untilSwitched(before);
  await isRenewed;
  expect(await idle.info('server')).toContain(`tcp_port:${after.port}\r`);
  await untilServed(fast);
  await fast.rpush(LIST, 'a job');
  expect(await waited).toEqual([LIST, 'a job']);
  expect(await after.client.llen(LIST)).toBe(0);
  // It has not been asked meanwhile: it still stands still.
  expect(before.process().exitCode).toBeNull();
});
