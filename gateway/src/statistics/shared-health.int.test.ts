import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { shareHealth } from './shared-health.ts';

const HEALTH = { status: 'ok', version: '1', timestamp: 'now', endpoints: { '/api/ai': 'ok' }, queue: { waiting: 7 } };
const UNAVAILABLE = { status: 503, headers: { 'Retry-After': '5' }, body: { error: 'Service unavailable' } };

let stats: Server;
let asked: number;
let answer: RequestListener;
let failures: string[];

beforeEach(async () => {
  [asked, failures] = [0, []];
  answer = (_request, response) => void response.end(JSON.stringify(HEALTH));
  stats = createServer((request, response) => {
    asked++;
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(stats, 'listening');
});
afterEach(() => {
  stats.close();
  stats.closeAllConnections();
});

function share({ isBrief = false, patienceMs = 1_000 } = {}) {
  const url = `http://127.0.0.1:${(stats.address() as AddressInfo).port}`;
  const note = (error: unknown) => void failures.push(String(error));
  return shareHealth({ url, secret: 's'.repeat(32) }, isBrief, note, patienceMs);
}

test('is looked up once, however many clients ask, and all get the same', async () => {
  const ask = share();
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => ask()));
  for (const one of answers) expect(one).toMatchObject({ status: 200, headers: {}, body: HEALTH });
  await ask();
  expect(asked).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await ask();
  expect(asked).toBe(2);
});

test('keeps the status and the advice when to try again', async () => {
  answer = (_request, response) =>
    void response.writeHead(503, { 'Retry-After': '7' }).end(JSON.stringify({ ...HEALTH, status: 'down' }));
  expect(await share()()).toMatchObject({
    status: 503,
    headers: { 'Retry-After': '7' },
    body: { status: 'down' },
    report: { outcome: 'server_error' },
  });
});

test('gives no numbers where they are not for all callers', async () => {
  const { queue: _, ...brief } = HEALTH;
  expect((await share({ isBrief: true })()).body).toEqual(brief);
});

test.each<[string, RequestListener]>([
  ['hangs', () => undefined],
  ['hangs in the middle', (_request, response) => void response.write('{')],
  ['breaks off', (request) => void request.socket.destroy()],
  ['says no JSON', (_request, response) => void response.end('<html>')],
  [
    'knows another secret',
    (_request, response) => void response.setHeader('x-lontar-inner-refusal', 'secret').end('{}'),
  ],
])('a stats-service that %s is reported once, and to all clients', async (_what, listener) => {
  answer = listener;
  const ask = share({ patienceMs: 100 });
  for (const one of await Promise.all([ask(), ask(), ask()])) expect(one).toMatchObject(UNAVAILABLE);
  expect([asked, failures.length]).toEqual([1, 1]);
});
