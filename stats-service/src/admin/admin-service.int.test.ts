import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { noteAction } from '@lontar/shared/admin/audit.ts';
import { startHeartbeat } from '@lontar/shared/instances.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { type AdminService, runAdminService } from '../../testing/admin-client.ts';
import { startAuditLines } from './log-audit.ts';

let redis: TestRedis;
let service: AdminService;
let token: string;

beforeAll(async () => {
  redis = await startTestRedis();
  service = await runAdminService(redis);
});
afterAll(async () => {
  await service.stop();
  await redis.stop();
});
beforeEach(async () => {
  await redis.client.flushall();
  ({ token } = await service.makeToken('operator'));
});

const ask = (request: string, body?: unknown) => service.admin(token, request, body === undefined ? {} : { body });

test('addresses are blocked for a time or for good, listed, and let go', async () => {
  expect((await ask('GET /bans')).result).toEqual({ bans: [] });
  const blocked = await ask('POST /bans', { address: '2001:db8:0:11ff::5' });
  expect(blocked).toMatchObject({
    status: 201,
    result: { address: '2001:db8:0:1100::/56', reason: 'operator', until: null },
  });
  const timed = await ask('POST /bans', { address: '203.0.113.9', seconds: 60 });
  expect(Date.parse(String(timed.result['until']))).toBeGreaterThan(Date.now());
  await redis.client.zadd(redisKeys.blockedAddresses, Date.now() + 30_000, '198.51.100.1');
  const { bans } = (await ask('GET /bans')).result as { bans: { address: string; reason: string }[] };
  expect(bans.map(({ address, reason }) => `${address} ${reason}`)).toEqual([
    '2001:db8:0:1100::/56 operator',
    '203.0.113.9 operator',
    '198.51.100.1 limit',
  ]);
  expect((await ask('DELETE /bans/2001:db8:0:1100::')).result).toEqual({
    address: '2001:db8:0:1100::/56',
    lifted: true,
  });
  expect((await ask('DELETE /bans/203.0.113.9')).status).toBe(200);
  for (const address of ['203.0.113.9', '198.51.100.1', 'nonsense']) {
    expect((await ask(`DELETE /bans/${address}`)).status).toBe(404);
  }
});

test.each([
  [{}],
  [{ address: 'nonsense' }],
  [{ address: 'x'.repeat(10_000) }],
  [{ address: '192.0.2.1', seconds: 0 }],
  [{ address: '192.0.2.1', seconds: 1e12 }],
  [{ address: '192.0.2.1', forever: true }],
  [[]],
])('a block %# that makes no sense is refused', async (body) => {
  expect((await ask('POST /bans', body)).status).toBe(400);
  expect(await redis.client.exists(redisKeys.blockedAddresses)).toBe(0);
});

test('the queue is shown, held and let go', async () => {
  expect((await ask('GET /queue')).result).toMatchObject({ paused: false, waiting: 0 });
  expect((await ask('POST /queue/pause')).result).toMatchObject({ paused: true });
  expect((await ask('POST /queue/pause')).result).toMatchObject({ paused: true });
  expect((await ask('POST /queue/resume')).result).toMatchObject({ paused: false });
  const { entries } = (await ask('GET /audit')).result as { entries: { action: string }[] };
  expect(entries.map(({ action }) => action)).toEqual(['queue.resume', 'queue.pause', 'admin-token.create']);
});

test('counters are those of /api/usage and /api/stats', async () => {
  const { usage, stats } = (await ask('GET /counters')).result;
  const open = async (path: string) => ((await (await service.ask(path)).json()) as { result: unknown }).result;
  expect(usage).toEqual(await open('/api/usage'));
  expect(stats).toEqual(await open('/api/stats'));
});

test('models are told with the workers that ask them', async () => {
  const worker = {
    ...({
      id: 'worker-1',
      service: 'worker',
      version: '1',
      metricsUrl: 'http://127.0.0.1:1/metrics',
      inFlight: 2,
    } as const),
    ...{ slots: 5, draining: false, startedAt: redisTime(), lastProgressAt: redisTime() },
    model: { provider: 'demo', lastOutcome: 'ok' as const, at: redisTime() },
  };
  const [month, day] = [new Date().toISOString().slice(0, 7), new Date().toISOString().slice(8, 10)];
  const counts = { [`${day} ai-2.5-flash`]: '3,2,0,0,0,0,0,0,0,1', [`${day} my-model`]: '2,2', [`${day} -`]: '9' };
  await redis.client.hset(redisKeys.keyUsage('all', month), counts);
  const beat = await startHeartbeat(redis.client, () => worker);
  const fresh = await runAdminService(redis);
  const made = await fresh.makeToken('viewer');
  const { result } = await fresh.admin(made.token, 'GET /models');
  await Promise.all([beat.stop(), fresh.stop()]);
  expect(result).toMatchObject({
    models: [
      { name: 'ai-2.5-flash', requests: 3, serverErrors: 1, timeouts: 0 },
      { name: 'ai-2.5-pro', requests: 0, serverErrors: 0, timeouts: 0 },
      { name: 'my-model', requests: 2, serverErrors: 0, timeouts: 0 },
    ],
    workers: [{ id: 'worker-1', inFlight: 2, slots: 5, provider: 'demo', lastOutcome: 'ok' }],
    calls: { total: 0, errors: 0, retries: 0 },
    // It runs a version that tells nothing of them.
    catalog: null,
    upstreams: [],
  });
  expect(JSON.stringify(result)).not.toContain('metrics');
});

test('the log is read by pages and filters, and what is asked wrongly is said', async () => {
  for (let index = 0; index < 5; index += 1) {
    await noteAction(redis.client, 'begun', { by: 'cli', id: 'anna' }, 'queue.drain', `t${index}`);
  }
  const first = (await ask('GET /audit?limit=2&action=queue.drain&by=anna')).result as {
    entries: { target: string }[];
    next: string;
  };
  expect(first.entries.map(({ target }) => target)).toEqual(['t4', 't3']);
  const second = (await ask(`GET /audit?limit=2&action=queue.drain&before=${first.next}`)).result as typeof first;
  expect(second.entries.map(({ target }) => target)).toEqual(['t2', 't1']);
  expect(((await ask('GET /audit?target=t0')).result as typeof first).entries).toHaveLength(1);
  for (const query of [
    'limit=0',
    'limit=201',
    'limit=x',
    'action=all',
    'before=now',
    'what=1',
    'limit=1&limit=2',
    `by=${'x'.repeat(101)}`,
  ]) {
    expect([query, (await ask(`GET /audit?${query}`)).status]).toEqual([query, 400]);
  }
});

test('other methods are told which there are', async () => {
  const answer = await service.ask('/admin/v1/queue', { method: 'PUT', headers: { authorization: `Bearer ${token}` } });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
  expect((await ask('GET /nothing')).status).toBe(404);
});

test('each entry of the audit log is a line in the log of one instance, those of the command too', async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('stats-service', 'info', { write: (line) => void lines.push(JSON.parse(line)) });
  await redis.client.set(redisKeys.auditLogged, '0-0');
  await noteAction(redis.client, 'done', { by: 'cli', id: 'anna', from: 'host-1' }, 'backup.restore', 'a.lontar');
  const both = [startAuditLines(redis.client, logger), startAuditLines(redis.client, logger)];
  while (!lines.some(({ action }) => action === 'backup.restore'))
    await new Promise((resolve) => setTimeout(resolve, 10));
  for (const one of both) one.stop();
  expect(lines.filter(({ action }) => action === 'backup.restore')).toEqual([
    expect.objectContaining({ by: 'cli', who: 'anna', from: 'host-1', target: 'a.lontar', level: 'info' }),
  ]);
});
