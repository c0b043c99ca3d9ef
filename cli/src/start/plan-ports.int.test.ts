import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '@lontar/shared/testing/redis-server.ts';
import { createPortFinder } from '../processes/ports.ts';
import { checkSettings } from '../settings/check-settings.ts';
import { planPorts } from './start-services.ts';

let server: Server;
let port: number;

/** As llama.cpp does, which has the port that is ours otherwise. */
beforeAll(async () => {
  port = await freePort();
  server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

function plan(environment: Record<string, string>, upstreamPorts: number[]) {
  const settings = { ...checkSettings({}), PORT: port };
  return planPorts(settings, { gateways: 1, workers: 1 }, environment, createPortFinder(), new Set(upstreamPorts));
}

test('the gateway leaves its usual port to an upstream, and takes the next that is free', async () => {
  const { gateways } = await plan({}, [port]);
  expect(gateways).toHaveLength(1);
  expect(Number(new URL(gateways[0]?.url ?? '').port)).toBeGreaterThan(port);
});

test.each([
  ['that the operator named', { PORT: '8080' }, true],
  ['that another program has', {}, false],
])('a taken port %s is refused', async (_, environment, isUpstreams) => {
  await expect(plan(environment, isUpstreams ? [port] : [])).rejects.toThrow(`Port ${port} on 127.0.0.1 is taken`);
});
