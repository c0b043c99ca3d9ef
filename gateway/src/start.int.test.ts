import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mintApiKey } from '@lontar/shared/api-key.ts';
import { startTcpProxy, type TcpProxy } from '@lontar/shared/testing/tcp-proxy.ts';
import { startTestGateway, type TestGateway } from '../testing/running-gateway.ts';

let beside: TestGateway;
let proxy: TcpProxy;

beforeEach(async () => {
  beside = await startTestGateway();
  proxy = await startTcpProxy(beside.redis.port);
});
afterEach(async () => {
  await proxy.stop();
  await beside.stop();
});

/** What a start asks Redis for, each time for the first time; of those that others send as well, in this order. */
test.each([
  ['its clock', ['time\r\n']],
  ['an inbox', ['pexpire\r\n', 'xadd\r\n']],
  ['the room that uploads take', ['hexists\r\n', 'hget\r\n']],
])('a gateway whose Redis goes away while it asks for %s goes on once Redis is back', async (_what, commands) => {
  const left = new Set(commands);
  proxy.intercept((piece) => {
    const text = piece.toString('latin1').toLowerCase();
    const cut = [...left].find((command) => text.includes(command));
    return cut !== undefined && left.delete(cut) ? 'cut before' : 'pass';
  });
  const gateway = await startTestGateway({ REDIS_URL: `redis://127.0.0.1:${proxy.port}` }, beside);
  expect([...left]).toEqual([]);
  const { status } = await fetch(`${gateway.url}/api/ai?prompt=hi`, { headers: { 'X-API-Key': mintApiKey().key } });
  expect(status).toBe(401);
  await gateway.stop();
});
