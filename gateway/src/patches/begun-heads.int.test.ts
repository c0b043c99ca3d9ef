import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import express from 'express';
import { letGoOfHead } from './begun-heads.ts';

let server: Server;
afterEach(() => {
  server.close();
});

const heldIn = (response: ServerResponse) =>
  Object.getOwnPropertySymbols(response)
    .filter(({ description }) => description === 'kOutHeaders')
    .map((name) => (response as unknown as Record<symbol, unknown>)[name]);

test('an answer goes on and ends as it would, and the next one on its connection, too', async () => {
  const app = express();
  let served: ServerResponse | undefined;
  app.use((_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('X-One', '1');
    letGoOfHead(response);
    expect(heldIn(response)).not.toContain(null);
    response.write('first ');
    letGoOfHead(response);
    served = response;
    expect(response.headersSent).toBe(true);
    setImmediate(() => {
      response.write('second ');
      response.end('last');
    });
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let read = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    read += piece;
  });
  for (let count = 1; count <= 2; count++) {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    while (read.split('\r\n0\r\n\r\n').length <= count) await once(socket, 'data');
  }
  socket.destroy();
  const one =
    /^HTTP\/1\.1 200 OK\r\n(?:[^\r]+\r\n)*X-One: 1\r\n(?:[^\r]+\r\n)*\r\n6\r\nfirst \r\n7\r\nsecond \r\n4\r\nlast\r\n0\r\n\r\n/;
  expect(read).toMatch(one);
  expect(read.replace(one, '')).toMatch(one);
  // Nothing is held of it: here Node would have kept it under another name.
  expect(served && heldIn(served)).toEqual([null]);
  expect((served as unknown as { _header: string })._header).toBe('sent');
});

test('a head that is still to come is left as it is', async () => {
  server = createServer((_request, response) => {
    response.setHeader('X-One', '1');
    letGoOfHead(response);
    response.end('x');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(headers.get('x-one')).toBe('1');
});
