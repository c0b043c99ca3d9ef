import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { endAnsweredBy, neverReadAgain, stopListening, stopReadingHandedOver } from './sockets.ts';

const MEGABYTE = 1024 * 1024;

let server: Server;
let client: Socket;
let accepted: Socket;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  [accepted] = (await once(server, 'connection')) as [Socket];
  accepted.on('error', () => undefined);
});
afterEach(() => {
  client.destroy();
  accepted.destroy();
  server.close();
});

/** Waits for so many turns of the loop, in each of which sockets are read. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

const UPGRADE = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';

/** The server's end of the connection, handed over. */
async function handOver(): Promise<Socket> {
  const handedOver = once(server, 'upgrade');
  client.write(UPGRADE);
  return (await handedOver)[1] as Socket;
}

test('a socket that is handed over is not read, until it is resumed', async () => {
  const socket = await handOver();
  stopReadingHandedOver(socket);
  client.write(Buffer.alloc(4 * MEGABYTE));
  await turns(500);
  expect(socket.bytesRead).toBe(UPGRADE.length);
  let bytes = 0;
  socket.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  socket.resume();
  while (bytes < 4 * MEGABYTE) await once(socket, 'data');
});

test('a socket that shall not be read any more holds nothing, and reads nothing', async () => {
  const socket = await handOver();
  client.write(Buffer.alloc(4 * MEGABYTE));
  await turns(500);
  // By itself it fills its memory: that is why both of these patches are needed.
  expect(socket.readableLength).toBeGreaterThan(0);
  neverReadAgain(socket);
  const { bytesRead } = socket;
  await turns(500);
  expect([socket.readableLength, socket.bytesRead]).toEqual([0, bytesRead]);
});

test('the end of a connection behind its answer is ours', async () => {
  const ended = Promise.withResolvers<void>();
  server.once('request', (request, response) => {
    endAnsweredBy(request.socket, ended.resolve);
    response.setHeader('Connection', 'close').end('bye');
  });
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(client, 'data');
  await ended.promise;
  await turns(50);
  expect(accepted.destroyed).toBe(false);
});

test('a server that listens no more still answers on connections that are open', async () => {
  server.on('request', (_request, response) => void response.end('here'));
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(client, 'data');
  const closed = new Promise<void>((resolve) => {
    stopListening(server, resolve);
  });
  expect(server.listening).toBe(false);
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(String((await once(client, 'data'))[0])).toContain('here');
  client.end();
  await closed;
});
