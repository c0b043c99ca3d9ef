import { once } from 'node:events';
import { type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createPublicServer } from './server.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const MEGABYTE = 1024 * 1024;

let server: Server;
const accepted = new Set<Socket>();
afterEach(() => {
  server.close();
  for (const socket of accepted) socket.destroy();
  accepted.clear();
});

interface Arrived {
  readonly client: Socket;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Sends the beginning of a request, and gives it as the server has it. */
async function arrive(first: string): Promise<Arrived> {
  const arrived = Promise.withResolvers<Omit<Arrived, 'client'>>();
  const listener: RequestListener = (request, response) => arrived.resolve({ request, response });
  server = createPublicServer(listener).listen(0, '127.0.0.1');
  server.on('connection', (socket: Socket) => accepted.add(socket));
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write(first);
  return { client, ...(await arrived.promise) };
}

/** Waits for so many turns of the loop, in each of which sockets are read. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

/** One-byte chunks of so many bytes together. */
const tiny = (bytes: number) => '1\r\na\r\n'.repeat(bytes / 6);

describe('the body of a POST', () => {
  test('stays outside while it is not read, and is not in a thousand pieces', async () => {
    const { client, request } = await arrive(CHUNKED);
    client.write(tiny(6 * MEGABYTE));
    await turns(2_000);
    expect(request.socket.bytesRead).toBeLessThan(200_000);
    expect(request.readableLength).toBeLessThan(40_000);
    client.destroy();
  });

  test.each([
    ['by its data', (request: IncomingMessage) => text(request)],
    [
      'by asking when it is readable',
      async (request: IncomingMessage) => {
        let read = '';
        for await (const piece of request) read += String(piece);
        return read;
      },
    ],
  ])('comes whole to one who reads it later, %s', async (_how, read) => {
    const { client, request } = await arrive(`${CHUNKED}3\r\nabc\r\n2\r\nde\r\n`);
    const line = 'fghi'.repeat(16);
    client.write(`${`40\r\n${line}\r\n`.repeat(10_000)}0\r\n\r\n`);
    await turns(50);
    expect((await read(request)) === `abcde${line.repeat(10_000)}`).toBe(true);
  });

  test('that came whole with its head is all there', async () => {
    const { client, request } = await arrive(`${CHUNKED}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`);
    await turns(50);
    expect(await text(request)).toBe('abcde');
    client.destroy();
  });

  test('is asked for when reading begins', async () => {
    const head = HEAD.replace('POST', 'POST').concat('Expect: 100-continue\r\nContent-Length: 5\r\n\r\n');
    const { client, request, response } = await arrive(head);
    let received = '';
    client.on('data', (bytes: Buffer) => (received += bytes.toString()));
    await turns(50);
    expect(received).toBe('');
    const body = text(request);
    await once(client, 'data');
    expect(received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.write('hello');
    expect(await body).toBe('hello');
    response.end('done');
    await once(client, 'close');
    expect(received).toContain('200 OK');
  });

  test('is not asked for when the answer goes out without it', async () => {
    const { client, response } = await arrive(`${HEAD}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`);
    const received = text(client);
    response.statusCode = 401;
    response.end('no');
    expect(await received).toMatch(/^HTTP\/1\.1 401/);
  });
});

describe('the body of a request that has none to take', () => {
  const GET = CHUNKED.replace('POST', 'GET');

  test('is thrown away, and the leaving of the caller is noticed', async () => {
    const { client, request, response } = await arrive(GET);
    client.write(tiny(6_000));
    await turns(50);
    expect(request.readableLength).toBe(0);
    client.destroy();
    await once(response, 'close');
  });

  test.each([
    ['in chunks', `${GET}4\r\nGET \r\n`],
    ['of a length', `${GET.replace('Transfer-Encoding: chunked', 'Content-Length: 9')}GET `],
  ])('is nothing that could be handed on, %s', async (_how, bytes) => {
    const { client, request } = await arrive(bytes);
    const handedOn = new PassThrough();
    request.pipe(handedOn);
    expect(await text(handedOn)).toBe('');
    expect(request.headers).toEqual({ host: 'x', connection: 'close' });
    client.destroy();
  });

  test('is refused where it does not end', async () => {
    const { client } = await arrive(GET);
    client.write(`8000\r\n${'x'.repeat(0x8000)}\r\n`.repeat(100));
    expect(await text(client)).toMatch(/^HTTP\/1\.1 413/);
  });
});
