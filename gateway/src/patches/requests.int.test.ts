import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createSocketServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { pipeNothing } from './requests.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Waits for so many turns of the loop, in each of which sockets are read. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

test('what a request brings that has no body is not handed on by the proxy', async () => {
  let handedOn = '';
  const behind = createSocketServer((socket) => {
    socket.on('data', (piece) => {
      handedOn += piece.toString();
    });
    socket.once('data', () => {
      void turns(100).then(() => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone'));
    });
  });
  const proxy = createProxyMiddleware({ target: `http://127.0.0.1:${await listen(behind)}` });
  const front = createServer((request, response) => {
    delete request.headers['content-length'];
    pipeNothing(request);
    void proxy(request, response);
  });
  const client = connect(await listen(front), '127.0.0.1');
  client.write('GET /asked HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 8\r\n\r\nsmuggled');
  expect(await text(client)).toMatch(/done$/);
  expect(handedOn).toContain('GET /asked');
  expect(handedOn).not.toContain('smuggled');
});
