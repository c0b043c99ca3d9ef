import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { createPublicServer } from './server.ts';

const CHUNKED = 'POST /chunked HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const BODY = '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n';

let server: Server;
const accepted = new Set<Socket>();
afterEach(() => {
  server.close();
  for (const socket of accepted) socket.destroy();
  accepted.clear();
});

async function open(listener: RequestListener): Promise<Socket> {
  server = createPublicServer(listener).listen(0, '127.0.0.1');
  server.on('connection', (socket: Socket) => accepted.add(socket));
  await once(server, 'listening');
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  client.on('error', () => undefined);
  return client;
}

/** Answers with what it was sent. */
const echo: RequestListener = (request, response) => {
  void text(request).then(
    (body) => response.end(`${request.method} ${request.url} ${request.headers.host}: ${body}.`),
    () => response.destroy(),
  );
};

test('a body in chunks is read, and its connection ends with the answer', async () => {
  const client = await open(echo);
  client.write(CHUNKED + BODY);
  const reply = await text(client);
  expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(reply).toMatch(/\r\nConnection: close\r\n/);
  expect(reply).toMatch(/POST \/chunked x: abcde\.$/);
});

test('one that comes byte by byte is read', async () => {
  const client = await open(echo);
  client.setNoDelay();
  for (const byte of CHUNKED + BODY) {
    client.write(byte);
    await new Promise(setImmediate);
  }
  expect(await text(client)).toMatch(/abcde\.$/);
});

test('one behind other requests of its connection is answered behind them', async () => {
  let slowOnes = 0;
  const client = await open((request, response) => {
    if (request.url === '/slow') setTimeout(() => response.end(slowOnes++ === 0 ? 'first,' : 'second,'), 20);
    else echo(request, response);
  });
  const slow = 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n';
  client.write(slow + slow + CHUNKED + BODY);
  const reply = await text(client);
  expect(reply.match(/first,|second,|abcde\./g)).toEqual(['first,', 'second,', 'abcde.']);
});

test('one behind an answer that ends the connection is not taken', async () => {
  let taken = 0;
  const client = await open((request, response) => {
    taken++;
    request.resume();
    response.setHeader('Connection', 'close').end('bye');
  });
  client.write(`GET / HTTP/1.1\r\nHost: x\r\n\r\n${CHUNKED}${BODY}`);
  expect(await text(client)).toMatch(/bye$/);
  expect(taken).toBe(1);
});

test('a long answer to one goes out as it is read', async () => {
  const client = await open((request, response) => {
    let pieces = 0;
    const send = (): void => {
      while (pieces++ < 100) if (!response.write('x'.repeat(100_000))) return void response.once('drain', send);
      response.end('.');
    };
    request.resume().once('end', send);
  });
  client.write(CHUNKED + BODY);
  expect((await text(client)).length).toBeGreaterThan(10_000_000);
});

test.each([
  ['is framed wrongly', `${CHUNKED}x\r\n`],
  ['ends before its end', `${CHUNKED}3\r\nab`],
  ['is encoded otherwise besides', CHUNKED.replace('chunked\r', 'gzip, chunked\r') + BODY],
  ['is encoded otherwise', CHUNKED.replace('chunked\r', 'gzip\r') + BODY],
  ['has a length too', CHUNKED.replace('Transfer', 'Content-Length: 5\r\nTransfer') + BODY],
])('one that %s gets 400', async (_what, bytes) => {
  const client = await open(echo);
  client.end(bytes);
  expect(await text(client)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*"code":400/);
});

test('the leaving of a caller ends the reading of its body', async () => {
  const ended = Promise.withResolvers<unknown>();
  const client = await open((request) => {
    text(request).catch(ended.resolve);
  });
  client.write(`${CHUNKED}3\r\nab`);
  await once(server, 'connection');
  client.resetAndDestroy();
  expect(await ended.promise).toMatchObject({ message: expect.any(String) });
});

test('a request that asks for another protocol is answered in this one, and its connection kept', async () => {
  const client = await open((request, response) => void response.end(`${request.url}.`));
  const upgrade = 'GET /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  for (let turn = 0; turn < 2; turn++) {
    client.write(upgrade);
    expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 OK[^]*\/a\.$/);
  }
  client.destroy();
});

test('a tunnel is not opened', async () => {
  const client = await open(echo);
  client.write('CONNECT example.com:80 HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await text(client)).toBe('');
});
