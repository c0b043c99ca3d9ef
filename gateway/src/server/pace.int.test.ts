import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { keepPace } from './pace.ts';

let server: Server | undefined;
let stop: () => void = () => undefined;

afterEach(() => {
  stop();
  server?.close();
  server?.closeAllConnections();
});

/** A client of a server that is patient for this long. */
async function open(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  patienceMs = 300,
): Promise<Socket> {
  const tooSlow = 'HTTP/1.1 408 Too Slow\r\nConnection: close\r\n\r\n';
  const paced = keepPace(answer, ({ socket }) => socket.end(tooSlow), patienceMs);
  stop = paced.stop;
  server = createServer(paced.listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}

const readBody = (request: IncomingMessage, response: ServerResponse) => {
  void text(request).then(
    (body) => response.end(`${body.length} bytes`),
    () => response.destroy(),
  );
};

describe('an exchange', () => {
  test('whose body comes byte by byte gets 408', async () => {
    const socket = await open(readBody);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n');
    const timer = setInterval(() => socket.write('a'), 20);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408/);
    clearInterval(timer);
  });

  test('whose body takes longer, but comes in pieces, is answered', async () => {
    // Five times as patient as it must be, for a machine that sends a piece late.
    const socket = await open(readBody, 1_000);
    const piece = 'x'.repeat(100_000);
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${10 * piece.length}\r\n\r\n`);
    for (let index = 0; index < 10; index++) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      socket.write(piece);
    }
    expect(await text(socket)).toContain('1000000 bytes');
  });

  test('whose body came while this process stood still is answered', async () => {
    const head = Promise.withResolvers<void>();
    const socket = await open((request, response) => {
      head.resolve();
      readBody(request, response);
    });
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\n');
    await head.promise;
    // Behind the sockets of a turn of the event loop: the next one begins with timers, before anything is read.
    setImmediate(() => {
      socket.write('body');
      const until = performance.now() + 1_000;
      while (performance.now() < until);
    });
    expect(await text(socket)).toContain('4 bytes');
  });

  test('whose answer is not read is ended', async () => {
    const ended = new Promise<void>((resolve) => {
      void open((request, response) => {
        request.socket.once('close', () => resolve());
        response.end(Buffer.alloc(50_000_000));
      }).then((socket) => {
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        socket.pause();
      });
    });
    await ended;
  });

  test('that waits for its answer is not cut', async () => {
    const socket = await open((_request, response) => void setTimeout(() => response.end('at last'), 1_000));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toContain('at last');
  });
});

test('a connection with very many requests before the first answer is ended', async () => {
  let asked = 0;
  const socket = await open(() => void asked++);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500));
  socket.resume();
  await once(socket, 'close');
  expect(asked).toBe(32);
});
