import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Gauge, Registry } from 'prom-client';
import { createLogger } from '../logger.ts';
import { PROCESS_ID_HEADER, startProbeListener } from './probes.ts';
import type { RunningServer } from './server.ts';

let probes: RunningServer;
let readiness: () => Promise<{ ready: boolean; reason?: string }>;
const registry = new Registry();

beforeAll(async () => {
  const options = { host: '127.0.0.1', port: 0, registry, logger: createLogger('test', 'silent') };
  probes = await startProbeListener({ ...options, readiness: () => readiness() });
});
afterAll(() => probes.stop());

const ask = async (path: string) => {
  const answer = await fetch(`http://127.0.0.1:${probes.port}${path}`);
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
};

test('readiness is told in words, and one that cannot be judged is none', async () => {
  readiness = () => Promise.resolve({ ready: true });
  expect(await ask('/readyz')).toEqual({ status: 200, type: 'text/plain', text: 'ok\n' });
  readiness = () => Promise.resolve({ ready: false, reason: 'draining' });
  expect(await ask('/readyz')).toMatchObject({ status: 503, text: 'not ready: draining\n' });
  readiness = () => Promise.reject(new Error('no Redis'));
  expect(await ask('/readyz')).toMatchObject({ status: 503, text: 'not ready: the probe failed\n' });
});

test('readiness names the process that answers', async () => {
  readiness = () => Promise.resolve({ ready: true });
  const { headers } = await fetch(`http://127.0.0.1:${probes.port}/readyz`);
  expect(headers.get(PROCESS_ID_HEADER)).toBe(String(process.pid));
});

test("the image's health check is well where the service is ready, and nowhere else", async () => {
  const check = fileURLToPath(new URL('../../../deploy/image/lontar-ready', import.meta.url));
  const codeAt = (port: number) =>
    new Promise((resolve) => {
      const env = { ...process.env, METRICS_PORT: String(port) };
      const child = execFile(check, { env }, () => resolve(child.exitCode));
    });
  readiness = () => Promise.resolve({ ready: true });
  expect(await codeAt(probes.port)).toBe(0);
  readiness = () => Promise.resolve({ ready: false, reason: 'draining' });
  expect(await codeAt(probes.port)).toBe(1);
  expect(await codeAt(1)).toBe(1);
});

test('what is not there and what fails get the envelope', async () => {
  const missing = await ask('/nothing');
  expect(missing).toMatchObject({ status: 404, type: 'application/json; charset=utf-8' });
  const message = 'This port serves /metrics, /livez and /readyz.';
  expect(JSON.parse(missing.text)).toEqual({ status: false, code: 404, message, error: 'Not Found' });
  const collect = () => {
    throw new Error('secret');
  };
  registry.registerMetric(new Gauge({ name: 'broken', help: 'x', registers: [], collect }));
  const broken = await ask('/metrics');
  expect(JSON.parse(broken.text)).toMatchObject({ status: false, code: 500 });
  expect(broken.text).not.toContain('secret');
});

test('a stop does not wait for connections that are kept', async () => {
  const other = await startProbeListener({
    host: '127.0.0.1',
    port: 0,
    registry: new Registry(),
    logger: createLogger('test', 'silent'),
    readiness: () => new Promise(() => undefined),
  });
  const socket = connect(other.port, '127.0.0.1').on('error', () => undefined);
  socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await other.stop();
  await closed;
});
