import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { takeJob } from '../../testing/played-worker.ts';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';

let gateway: TestGateway;
let replica: TestRedis;
let key: string;
let keyId: string;

beforeAll(async () => {
  gateway = await startTestGateway({ REDIS_REPLICAS_ACK: '1' });
  ({ key, id: keyId } = await gateway.createKey({ credits: '1000' }));
  replica = await startTestRedis({
    args: ['--replicaof', `127.0.0.1 ${gateway.redis.port}`, '--repl-diskless-sync-delay', '0'],
  });
  await until(async () => (await gateway.redis.client.call('WAIT', 1, 200)) === 1);
});
afterEach(() => void replica.process().kill('SIGCONT'));
afterAll(async () => {
  await replica.stop();
  await gateway.stop();
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const ask = () => fetch(`${gateway.url}/api/ai?prompt=hi`, { headers: { 'X-API-Key': key } });
const charged = async () => Number((await gateway.redis.client.hget(redisKeys.apiKey(keyId), 'charged')) ?? 0);
const waits = async (result: string): Promise<number> => {
  const page = await (await fetch(gateway.metricsUrl)).text();
  return Number(new RegExp(`^gateway_replica_waits_total\\{.*result="${result}".*\\} (\\d+)`, 'm').exec(page)?.[1]);
};

/** A request that was admitted, and its job. On a busy machine the replica, or Redis, may be late for some. */
async function admitted() {
  let taking = takeJob(gateway.redis.client);
  for (;;) {
    const missed = await waits('missed');
    const held = await waits('held');
    const answer = ask();
    const played = await Promise.race([taking, answer.then(() => undefined)]);
    if (played === undefined) continue;
    await until(async () => (await waits('held')) > held || (await waits('missed')) > missed);
    if ((await waits('missed')) === missed) return { answer, played };
    await answer;
    taking = takeJob(gateway.redis.client);
  }
}

test('an answer that the replica has is told', async () => {
  const { answer, played } = await admitted();
  await played.settle({ text: 'Palm' });
  expect(await (await answer).json()).toMatchObject({ code: 200, result: 'Palm' });
  expect(await replica.client.hexists(redisKeys.request(played.job.id), 'result')).toBe(1);
  expect(await waits('held')).toBeGreaterThan(0);
});

test('what the replica may not have is not told, and told once it has it', async () => {
  const { answer, played } = await admitted();
  replica.process().kill('SIGSTOP');
  const missed = await waits('missed');
  await played.settle({ text: 'Leaf' });
  let isTold = false;
  void answer.then(() => (isTold = true));
  await until(async () => (await waits('missed')) > missed + 1);
  expect(isTold).toBe(false);
  replica.process().kill('SIGCONT');
  expect(await (await answer).json()).toMatchObject({ code: 200, result: 'Leaf' });
});

test('an answer that is asked for once more is not told either while the replica may not have it', async () => {
  const { answer, played } = await admitted();
  await played.settle({ text: 'Frond' });
  await answer;
  const resume = () =>
    fetch(`${gateway.url}/v1/chat/completions/${played.job.id.replace('req_', 'chatcmpl-')}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
  replica.process().kill('SIGSTOP');
  expect((await resume()).status).toBe(503);
  replica.process().kill('SIGCONT');
  // On a busy machine it is late for some more.
  let told = await resume();
  while (told.status === 503) told = await resume();
  expect(await told.text()).toContain('Frond');
});

test('a settlement that a failover has lost is not told: the one of the new primary is', async () => {
  const { client } = gateway.redis;
  const { answer, played } = await admitted();
  const request = redisKeys.request(played.job.id);
  const [reservation] = await client.zrange(redisKeys.keyFlight(keyId), '0', '-1');
  const endsAt = await client.zscore(redisKeys.keyFlight(keyId), reservation ?? '');
  replica.process().kill('SIGSTOP');
  const missed = await waits('missed');
  await played.settle({ text: 'lost' });
  await until(async () => (await waits('missed')) > missed);
  // As on a replica that had not got it when it became the primary.
  await Promise.all([client.del(request), client.zadd(redisKeys.keyFlight(keyId), endsAt ?? '0', played.job.id)]);
  // A look from before may still wait for the replica.
  const then = await waits('missed');
  await until(async () => (await waits('missed')) > then + 1);
  const held = await waits('held');
  replica.process().kill('SIGCONT');
  // What was read of the lost one is dropped by then.
  await until(async () => (await waits('held')) > held);
  await played.settle({ text: 'kept' });
  expect(await (await answer).json()).toMatchObject({ code: 200, result: 'kept' });
});

test('a request that the replica may not have is refused, and taken back', async () => {
  const before = await charged();
  replica.process().kill('SIGSTOP');
  const refused = await ask();
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  replica.process().kill('SIGCONT');
  await until(async () => (await gateway.redis.client.zcard(redisKeys.keyFlight(keyId))) === 0);
  await until(async () => (await gateway.redis.client.llen(queueKeys.waiting)) === 0);
  expect(await charged()).toBe(before);
});
