import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { closeIfUnread } from './linger.ts';
import { createPublicServer } from './server.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\n';
let server: Server;
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

async function open(listener: RequestListener): Promise<Socket> {
  server = createPublicServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  client.on('error', () => undefined);
  return client;
}

/** Resolves also where the connection ends with an error. */
const ended = (client: Socket) => new Promise<void>((resolve) => client.once('close', () => resolve()));

const refuse: RequestListener = (request, response) => {
  response.statusCode = 401;
  closeIfUnread(request, response);
  response.end('refused');
};

/** What a client reads and how its connection ends, when it sends all of this before it reads anything. */
async function sendFirst(client: Socket, bytes: string): Promise<{ read: string; failed: boolean }> {
  let read = '';
  let failed = false;
  client.on('error', () => (failed = true));
  client.pause();
  await new Promise<void>((sent) => client.write(bytes, () => sent()));
  client.on('data', (piece: Buffer) => (read += piece.toString()));
  client.once('end', () => client.end());
  client.resume();
  await ended(client);
  return { read, failed };
}

test('an answer that does not wait for the body reaches a sender who sends everything first', async () => {
  const client = await open(refuse);
  const body = 'x'.repeat(8_000_000);
  const { read, failed } = await sendFirst(client, `${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`);
  expect({ read: read.slice(0, 12), failed }).toEqual({ read: 'HTTP/1.1 401', failed: false });
  expect(read).toMatch(/connection: close/i);
});

test('a sender that does not end is ended', async () => {
  const client = await open(refuse);
  const closed = ended(client);
  client.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  const more = () => {
    while (!client.destroyed && client.write('1\r\na\r\n'.repeat(10_000)));
  };
  client.on('drain', more);
  client.resume();
  more();
  await closed;
});

test('one in chunks that is answered without its body is not read on, and keeps nothing', async () => {
  const client = await open(refuse);
  const [accepted] = (await once(server, 'connection')) as [Socket];
  client.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  await once(client, 'data');
  const { bytesRead } = accepted;
  // Far more than a socket of ours would take at a time; it is in the kernel's memory then.
  await new Promise<void>((sent) => client.write('2000\r\n'.repeat(20_000), () => sent()));
  expect({ read: accepted.bytesRead, kept: accepted.readableLength }).toEqual({ read: bytesRead, kept: 0 });
  accepted.destroy();
});

test('a client that waits for our end is ended a second later, and not with its answer', async () => {
  const client = await open(refuse);
  client.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  await once(client, 'data');
  const answeredAt = performance.now();
  await once(client, 'end');
  expect(performance.now() - answeredAt).toBeGreaterThan(500);
  client.destroy();
});

test('of very many that wait unread, the one that was answered first gives way', async () => {
  const accepted: Socket[] = [];
  const clients = [await open(refuse)];
  server.on('connection', (socket: Socket) => accepted.push(socket));
  const { port } = server.address() as AddressInfo;
  const ask = async (client: Socket) => {
    client.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    await once(client, 'data');
  };
  for (let next = 0; next <= 401; next++) {
    const client = clients[next] ?? connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    clients[next] = client.on('error', () => undefined);
    await ask(client);
  }
  expect(accepted.at(0)?.destroyed).toBe(true);
  expect(accepted.at(-1)?.destroyed).toBe(false);
  for (const socket of [...accepted, ...clients]) socket.destroy();
});

test('a connection that the door refuses gets no parser, and nothing of it is read', async () => {
  server = createPublicServer(refuse, { enter: () => false }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  const [accepted] = (await once(server, 'connection')) as [Socket & { parser?: unknown }];
  expect(accepted.parser).toBeUndefined();
  client.destroy();
  accepted.destroy();
});

test('a request behind one that was refused is not taken', async () => {
  let taken = 0;
  const client = await open((request, response) => {
    taken++;
    refuse(request, response);
  });
  const [accepted] = (await once(server, 'connection')) as [Socket];
  client.write(`${HEAD}Content-Length: 5\r\n\r\n`);
  await once(client, 'data');
  client.write(`hello${HEAD}Content-Length: 0\r\n\r\n`);
  // A client that has been answered and goes on would wait for ever.
  await ended(accepted);
  client.destroy();
  expect(taken).toBe(1);
});

test('a connection whose request has come whole is kept', async () => {
  const client = await open((request, response) => {
    request.resume().once('end', () => refuse(request, response));
  });
  for (let turn = 0; turn < 2; turn++) {
    client.write(`${HEAD}Content-Length: 5\r\n\r\nhello`);
    const [piece] = (await once(client, 'data')) as [Buffer];
    expect(piece.toString()).toMatch(/^HTTP\/1\.1 401[^]*refused$/);
  }
  client.destroy();
});
