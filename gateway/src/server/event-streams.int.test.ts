import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { gatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { createRegistry } from '@lontar/shared/metrics.ts';
import { createEventStreams, type EventStream } from './event-streams.ts';
import { keepPace } from './pace.ts';

const metrics = gatewayMetrics(createRegistry('gateway', 'test'));
const times = { headMs: 120, silenceMs: 60, lookMs: 20 };
let close: () => void = () => undefined;

afterEach(async () => {
  close();
  while ((await streamsOpen()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

/** A client that has asked for a stream, and the server's end of that. */
async function open(
  paceMs?: number,
): Promise<{ stream: EventStream; socket: Socket; server: Server; got: () => string; held: () => number }> {
  const streams = createEventStreams({ metrics, draining: () => false, times });
  let stream: EventStream | undefined;
  let held = () => 0;
  const listener = keepPace(
    (_request, response) => {
      stream = streams.open(response, { receivedAt: performance.now() }, { 'X-Own': 'yes' });
      held = () => response.writableLength;
    },
    () => undefined,
    paceMs,
  );
  const server = createServer(listener.listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(server, 'request');
  close = () => {
    listener.stop();
    socket.destroy();
    server.close();
    server.closeAllConnections();
  };
  if (stream === undefined) throw new Error('no request came');
  return { stream, socket, server, got: () => text, held };
}

/** What a socket gets until it has this. */
async function until(got: () => string, part: string | RegExp): Promise<string> {
  while (got().search(part) < 0) await new Promise((resolve) => setTimeout(resolve, 5));
  return got();
}

const readersCut = async () => (await metrics.streamReadersCut.get()).values[0]?.value ?? 0;
const streamsOpen = async () => (await metrics.streamsOpen.get()).values[0]?.value ?? 0;

describe('an event stream', () => {
  test('sends its first event at once, and later ones with the end of the turn', async () => {
    const { stream, held, got } = await open();
    stream.write('data: 1\n\n');
    expect(held()).toBe(0);
    stream.write('data: 2\n\n');
    expect(held()).toBeGreaterThan(0);
    expect(await until(got, 'data: 2')).toContain('data: 1');
  });

  test('holds its head until the first event, and sends both at once', async () => {
    const { stream, got, socket } = await open();
    expect([stream.isBegun, stream.hasRoom, stream.isOver]).toEqual([false, true, false]);
    const [first] = await Promise.all([
      once(socket, 'data').then(([chunk]) => String(chunk)),
      turn().then(() => stream.write('data: 1\n\n')),
    ]);
    expect(first).toMatch(/^HTTP\/1\.1 200 OK\r\nX-Own: yes\r\nContent-Type: text\/event-stream; charset=utf-8\r\n/);
    expect(first).toContain('X-Accel-Buffering: no\r\n');
    expect(first).toContain('data: 1\n\n');
    expect(stream.isBegun).toBe(true);
    stream.end('data: [DONE]\n\n');
    await until(got, /data: \[DONE\]\n\n\r\n0\r\n\r\n$/);
  });

  test('begins by itself where nothing comes, and shows in silence that it lives: a comment with one newline', async () => {
    const { stream, got } = await open();
    const text = await until(got, /(?:: x\n\r\n.*){3}/s);
    expect(text.split('\r\n\r\n')[0]).toContain('200 OK');
    expect(text.replaceAll(/\r\n4\r\n|\r\n/g, '')).toMatch(/(?:: x\n)+$/);
    expect(text).not.toContain(': x\n\n');
    stream.end('');
  });

  test('is counted while it is open', async () => {
    const { stream, socket } = await open();
    expect(await streamsOpen()).toBe(1);
    stream.write('data: 1\n\n');
    socket.destroy();
    while ((await streamsOpen()) !== 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect([stream.isOver, stream.hasRoom]).toEqual([true, false]);
    stream.write('data: into the void\n\n');
    await stream.room();
  });

  test('that is not read holds no more than fits into its buffer, goes on when it is read, and loses nothing', async () => {
    const { stream, socket, got } = await open();
    socket.pause();
    const line = `data: ${'x'.repeat(30_000)}\n\n`;
    let written = 0;
    // The connection itself takes some megabytes.
    for (; stream.hasRoom; written++) stream.write(line);
    const rooms: number[] = [];
    stream.onRoom(() => rooms.push(written));
    const room = stream.room();
    socket.resume();
    await room;
    expect(rooms).toEqual([written]);
    stream.end('data: [DONE]\n\n');
    const text = await until(got, /\[DONE\]/);
    expect(text.split(line)).toHaveLength(written + 1);
  });

  test('that is read byte by byte holds 256 KiB at most, delays no other one, and is cut', async () => {
    const before = await readersCut();
    const slow = await open(400);
    const closeSlow = close;
    const other = await open();
    const closeOther = close;
    close = () => {
      closeSlow();
      closeOther();
    };
    slow.socket.removeAllListeners('data').pause();
    const reading = setInterval(() => slow.socket.read(1), 20);
    let most = 0;
    let events = 0;
    // As an answer does that is found anew as there is room: the connection itself takes some megabytes before.
    while (!slow.stream.isOver) {
      if (slow.stream.hasRoom) slow.stream.write(`data: ${'x'.repeat(30_000)}\n\n`);
      most = Math.max(most, slow.held());
      other.stream.write(`data: ${events}\n\n`);
      await until(other.got, `data: ${events}\n\n`);
      events++;
    }
    clearInterval(reading);
    expect(most).toBeLessThanOrEqual(256 * 1024);
    expect(await readersCut()).toBe(before + 1);
    expect(other.stream.isOver).toBe(false);
  });

  test('that is not read any more is cut, and counted', async () => {
    const before = await readersCut();
    const { stream, socket } = await open(300);
    socket.pause();
    // The connection itself takes some megabytes, in several turns.
    for (; !stream.isOver; await stream.room()) stream.write(`data: ${'x'.repeat(30_000)}\n\n`);
    expect(await readersCut()).toBe(before + 1);
  });
});
