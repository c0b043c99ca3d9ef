import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { refuse } from '../envelope/answer.ts';
import { neverReadAgain } from '../patches/sockets.ts';
import { createRefusals } from './refused-connections.ts';

const REFUSAL = refuse('too_many_requests', { message: 'Too many connections.' });
const SENT = 'x'.repeat(100_000);

let server: Server;
let clients: Socket[] = [];
beforeEach(async () => {
  server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const client of clients) client.destroy();
  clients = [];
  server.close();
});

/** Both ends of a connection whose client has sent something, and what its client reads. */
async function open(take: (socket: Socket) => void) {
  const { port } = server.address() as AddressInfo;
  const taken = once(server, 'connection').then(([socket]) => {
    take(socket as Socket);
    return socket as Socket;
  });
  const client = connect(port, '127.0.0.1').on('error', () => undefined);
  clients.push(client);
  client.write(SENT);
  let read = '';
  client.on('data', (piece: Buffer) => (read += piece.toString()));
  return { client, accepted: await taken, read: () => read };
}

test('a refused connection is told in a moment, and nothing is read of it', async () => {
  const refusals = createRefusals();
  const { client, accepted, read } = await open((socket) => refusals.hold(socket, REFUSAL));
  await once(client, 'data');
  expect(read()).toMatch(/^HTTP\/1\.1 429 [^]*Too many connections/);
  expect({ read: accepted.bytesRead, kept: accepted.readableLength }).toEqual({ read: 0, kept: 0 });
  accepted.destroy();
});

test('beyond their bound the one that was told first is closed, or, where none was, the new one', async () => {
  const refusals = createRefusals(2);
  const hold = (socket: Socket): void => refusals.hold(socket, REFUSAL);
  const first = await open(hold);
  const second = await open(hold);
  const third = await open(hold);
  expect([first, second, third].map(({ accepted }) => accepted.destroyed)).toEqual([false, false, true]);
  await Promise.all([once(first.client, 'data'), once(second.client, 'data')]);
  const fourth = await open(hold);
  expect([first, second, fourth].map(({ accepted }) => accepted.destroyed)).toEqual([true, false, false]);
  for (const { accepted } of [second, fourth]) accepted.destroy();
});

test('what is never read again keeps nothing of what had come, whoever resumes it', async () => {
  const { accepted } = await open((socket) => socket.on('data', () => neverReadAgain(socket)));
  while (accepted.bytesRead === 0) await new Promise(setImmediate);
  const { bytesRead } = accepted;
  accepted.resume();
  // Its end comes behind what is not read.
  const { client, accepted: other } = await open(() => undefined);
  client.end();
  await once(other.resume(), 'end');
  expect({ read: accepted.bytesRead, kept: accepted.readableLength }).toEqual({ read: bytesRead, kept: 0 });
  for (const socket of [accepted, other]) socket.destroy();
});
