import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';

const GET = 'GET /api/ai HTTP/1.1\r\nHost: gateway\r\n';
/** A request that is under way for as long as its body does not come. */
const WAITING = 'POST /api/ai HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n';

let gateway: TestGateway;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await gateway.stop();
});

async function open(localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** The head and the body of the next answer on a connection. */
async function ask(socket: Socket, bytes: string): Promise<string> {
  let reply = '';
  socket.write(bytes);
  while (!reply.includes('}')) reply += String((await once(socket, 'data'))[0]);
  return reply;
}

async function metric(line: RegExp): Promise<number> {
  return Number(line.exec(await (await fetch(gateway.metricsUrl)).text())?.[1]);
}

/** Looks again until the condition holds; the test's own timeout bounds it. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(10);
}

const OPEN = /^gateway_connections_open\S* (\d+)/m;

describe('connections', () => {
  test('of one address beyond its bound get 429 and are closed, and others are not hindered', async () => {
    gateway = await startTestGateway({ MAX_CONNECTIONS_PER_ADDRESS: '3' });
    const own = await Promise.all([open(), open(), open()]);
    const fourth = await open();
    const refused = await ask(fourth, `${GET}\r\n`);
    expect(refused).toMatch(/^HTTP\/1\.1 429 /);
    expect(refused).toMatch(/Retry-After: 1\r\n/);
    expect(JSON.parse(refused.slice(refused.indexOf('{')))).toEqual({
      ...{ status: false, code: 429, error: 'Too many requests', message: expect.stringContaining('3 connections') },
      ...{ used: 3, remaining: 0, limit: 3 },
    });
    await once(fourth, 'close');
    for (const socket of own) expect(await ask(socket, `${GET}\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await ask(await open('127.0.0.2'), `${GET}\r\n`)).toMatch(/^HTTP\/1\.1 400 /);

    own[0]?.destroy();
    await until(async () => (await metric(OPEN)) <= 3);
    expect(await ask(await open(), `${GET}\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await metric(/^gateway_too_much_total\{what="connections",whose="address"\S* (\d+)/m)).toBe(1);
  });

  test('beyond the bound of all get 503', async () => {
    gateway = await startTestGateway({ MAX_CONNECTIONS: '2' });
    await Promise.all([open(), open('127.0.0.2')]);
    expect(await ask(await open('127.0.0.3'), `${GET}\r\n`)).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n/);
  });

  test('that are too many and ask for nothing are closed', async () => {
    gateway = await startTestGateway({ MAX_CONNECTIONS_PER_ADDRESS: '1' });
    await open();
    await once((await open()).resume(), 'close');
  });

  test('of a trusted proxy are not counted as one address; requests of its callers are', async () => {
    gateway = await startTestGateway({ MAX_CONNECTIONS_PER_ADDRESS: '4', TRUST_PROXY: '127.0.0.1' });
    const from = (address: string) => `X-Forwarded-For: ${address}\r\n\r\n`;
    const waiting = await Promise.all(Array.from({ length: 2 }, () => open()));
    for (const socket of waiting) socket.write(`${WAITING}${from('192.0.2.1')}`);
    const idle = await Promise.all(Array.from({ length: 6 }, () => open()));
    for (const socket of idle) expect(await ask(socket, `${GET}${from('192.0.2.9')}`)).toMatch(/^HTTP\/1\.1 400 /);

    // Half of its requests may have bodies.
    expect(await ask(await open(), `${WAITING}${from('192.0.2.1')}`)).toMatch(/ 429 [^]*2 request bodies/);
    for (const address of ['192.0.2.2', '192.0.2.2']) (await open()).write(`${WAITING}${from(address)}`);
    const counted = /^gateway_requests_in_flight\S* (\d+)/m;
    await until(async () => (await metric(counted)) >= 4);
    expect(await ask(await open(), `${GET}${from('192.0.2.1')}`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('requests of a forwarded address beyond its bound get 429, until one ends', async () => {
    gateway = await startTestGateway({ MAX_CONNECTIONS_PER_ADDRESS: '1', TRUST_PROXY: '127.0.0.1' });
    const from = (address: string) => `X-Forwarded-For: ${address}\r\n\r\n`;
    const waiting = await open();
    waiting.write(`${WAITING}${from('192.0.2.1')}`);
    await until(async () => (await metric(/^gateway_requests_in_flight\S* (\d+)/m)) >= 1);
    const other = await open();
    expect(await ask(other, `${GET}${from('192.0.2.1')}`)).toMatch(/ 429 [^]*1 requests under way/);
    expect(await ask(other, `${GET}${from('192.0.2.2')}`)).toMatch(/ 400 /);
    waiting.destroy();
    await until(async () => (await metric(/^gateway_requests_in_flight\S* (\d+)/m)) <= 0);
    expect(await ask(other, `${GET}${from('192.0.2.1')}`)).toMatch(/ 400 /);
  });
});
