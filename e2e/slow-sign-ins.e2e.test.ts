import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ask } from './harness/client.ts';
import { exchange, readReply } from './harness/raw.ts';
import { type Stack, startStack } from './harness/stack.ts';

/** More than the connections that a gateway ever had to stats-service. */
const MANY = 520;
/** Senders, of whom each has fewer connections than an address may have. */
const SENDERS = 40;

let stack: Stack;
let slow: Socket[] = [];

beforeAll(async () => {
  stack = await startStack({ stats: true, protocol: 'demo' });
});
afterEach(() => {
  for (const socket of slow) socket.destroy();
  slow = [];
});
afterAll(() => stack.stop());

/** Connections that send the head of a request and then next to nothing of its body. */
async function sendSlowly(head: string): Promise<void> {
  const { hostname, port } = new URL(stack.url);
  await Promise.all(
    Array.from({ length: MANY }, async (_, index) => {
      const localAddress = `127.0.1.${1 + (index % SENDERS)}`;
      const socket = connect({ port: Number(port), host: hostname, localAddress }).on('error', () => undefined);
      slow.push(socket);
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.write(`${head}\r\nHost: x\r\n`);
      socket.write('Content-Type: application/json\r\n\r\n{');
    }),
  );
  // Whatever they hold, they hold by now.
  await delay(500);
}

async function timed<Result>(work: Promise<Result>): Promise<{ ms: number; result: Result }> {
  const begun = performance.now();
  const result = await work;
  return { ms: performance.now() - begun, result };
}

describe.each([
  ['sign-ins', 'POST /dashboard/session HTTP/1.1\r\nContent-Length: 60'],
  ['sign-ins in chunks', 'POST /dashboard/session HTTP/1.1\r\nTransfer-Encoding: chunked'],
  ['requests to no path', 'POST /dashboard/anything HTTP/1.1\r\nContent-Length: 60'],
  ['pages with a body', 'GET / HTTP/1.1\r\nContent-Length: 60'],
  ['live streams with a body', 'GET /dashboard/events HTTP/1.1\r\nContent-Length: 60'],
])(`beside ${MANY} slow %s`, (_what, head) => {
  test('health is 200 within a second, and so is everything else', async () => {
    await sendSlowly(head);
    for (let round = 0; round < 3; round++) {
      for (const path of ['/api/health', '/api/usage', '/']) {
        const { ms, result } = await timed(exchange(stack.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`));
        // Without a build of the page its place says so, with 503.
        const { status, body } = readReply(result);
        expect({ path, status, body }).toMatchObject({ path, status: path === '/' ? expect.any(Number) : 200 });
        // The contract is one second; a busy test machine gets ten times that.
        expect(ms).toBeLessThan(10_000);
      }
      await delay(300);
    }
    const signIn = ask(stack.url, '/dashboard/session', {
      method: 'POST',
      body: { token: stack.secrets.dashboardToken },
    });
    expect((await signIn).status).toBe(204);
  });
});

test('a body that stats-service would not take is refused before it is asked', async () => {
  const long = 'x'.repeat(5_000);
  const chunked = `1388\r\n${long}\r\n0\r\n\r\n`;
  stack.stats?.process.kill('SIGSTOP');
  for (const [header, body] of [
    [`Content-Length: ${long.length}`, long],
    ['Transfer-Encoding: chunked', chunked],
  ]) {
    const reply = readReply(
      await exchange(stack.url, `POST /dashboard/session HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n${body}`),
    );
    expect(reply).toMatchObject({
      status: 413,
      body: { error: 'Payload Too Large' },
      headers: { connection: 'close' },
    });
  }
  stack.stats?.process.kill('SIGCONT');
});

test('a body that does not come costs its sender the connection, with 408', async () => {
  const head = 'POST /dashboard/session HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{';
  const reply = readReply(await exchange(stack.url, head));
  expect(reply).toMatchObject({ status: 408, body: { error: 'Request Timeout' }, headers: { connection: 'close' } });
});
