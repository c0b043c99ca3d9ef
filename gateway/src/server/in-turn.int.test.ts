import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { createPublicServer } from './server.ts';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const LAST = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
let server: Server;
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

async function open(listener: RequestListener): Promise<Socket> {
  server = createPublicServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  return client;
}

test('requests of one connection whose answers are not read are not served ahead', async () => {
  let asked = 0;
  const ended = Promise.withResolvers<void>();
  const client = await open((request, response) => {
    asked++;
    request.socket.once('close', () => ended.resolve());
    response.end(Buffer.alloc(20_000_000));
  });
  client.pause();
  client.write(GET.repeat(20));
  // By the one who keeps the pace of answers.
  await ended.promise;
  expect(asked).toBe(1);
});

test('requests that come in one piece are answered in their order', async () => {
  const served: (string | undefined)[] = [];
  const client = await open((request, response) => {
    served.push(request.url);
    // An answer that takes its time, as those of the model do.
    setTimeout(() => response.end(`answer ${served.length};`), 20);
  });
  client.write(GET.repeat(10) + LAST);
  expect((await text(client)).match(/answer \d+;/g)).toEqual(
    Array.from({ length: 11 }, (_, index) => `answer ${index + 1};`),
  );
  expect(served.at(-1)).toBe('/last');
});

test('behind an answer that ends the connection nothing is served', async () => {
  let asked = 0;
  const client = await open((_request, response) => {
    asked++;
    response.setHeader('Connection', 'close').end('the last');
  });
  client.write(GET.repeat(5));
  expect(await text(client)).toMatch(/the last$/);
  expect(asked).toBe(1);
});

test('a body behind a request that waits is read at once, and the leaving of its caller noticed', async () => {
  const noticed = Promise.withResolvers<string>();
  const client = await open((request, response) => {
    if (request.method === 'GET') response.once('close', () => noticed.resolve('the caller of the first has left'));
    else void text(request).then(() => client.destroy());
  });
  client.write(`${GET}POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello`);
  expect(await noticed.promise).toBe('the caller of the first has left');
});
