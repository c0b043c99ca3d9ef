import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import { readStream, type StreamReader } from '@lontar/shared/testing/event-stream.ts';
import { freePort } from '@lontar/shared/testing/redis-server.ts';
import { ask } from './harness/client.ts';
import { until } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

const throughNginx = hasNginx() ? test : test.skip;

let stack: Stack;
let key: string;
let cookie: string;

beforeAll(async () => {
  stack = await startStack({ stats: true, protocol: 'demo' });
  key = (await stack.createKey()).key;
  const signIn = await fetch(`${stack.url}/dashboard/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: stack.secrets.dashboardToken }),
  });
  cookie = (signIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
});

afterAll(() => stack.stop());

test('through the gateway: a snapshot, rows as they are answered, and those that were missed', async () => {
  await followThrough(stack.url);
});

throughNginx('through nginx with its default settings, too', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lontar-nginx-'));
  const port = await freePort();
  const site = `server { listen 127.0.0.1:${port}; location / { proxy_pass ${stack.url}; } }`;
  await writeFile(
    join(directory, 'nginx.conf'),
    `pid ${directory}/pid; error_log ${directory}/error.log; events {} http { access_log off; ${site} }`,
  );
  const nginx = spawn('nginx', ['-p', directory, '-c', 'nginx.conf', '-g', 'daemon off;'], { stdio: 'ignore' });
  try {
    const url = `http://127.0.0.1:${port}`;
    await until(async () => (await fetch(url).catch(() => undefined)) !== undefined);
    await followThrough(url);
  } finally {
    const gone = once(nginx, 'exit');
    nginx.kill();
    await gone;
    await rm(directory, { recursive: true, force: true });
  }
});

async function followThrough(url: string): Promise<void> {
  const first = await open(url);
  await first.next('snapshot');
  const live = await answeredId();
  const { id, data } = await first.next('log');
  expect((data['rows'] as LogRow[]).map((row) => row.id)).toContain(live);
  first.close();

  const missed = await answeredId();
  const back = await open(url, { 'last-event-id': id });
  const { data: replayed } = await back.next('log');
  expect((replayed['rows'] as LogRow[]).map((row) => row.id)).toEqual([missed]);
  back.close();
}

function open(url: string, headers: Record<string, string> = {}): Promise<StreamReader> {
  return readStream(`${url}/dashboard/events`, { cookie, ...headers });
}

/** Asks for a text and gives the request's id. */
async function answeredId(): Promise<string> {
  const reply = await ask(stack.url, '/api/ai', { query: { prompt: 'hello' }, headers: { 'x-api-key': key } });
  expect(reply.status).toBe(200);
  return reply.headers['x-request-id'] ?? '';
}

function hasNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
