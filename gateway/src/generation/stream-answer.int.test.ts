import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { readStream, type StreamReader } from '@lontar/shared/testing/event-stream.ts';
import { readSettlement } from '@lontar/shared/testing/read-settlement.ts';
import { type PlayedJob, takeJob } from '../../testing/played-worker.ts';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';

let gateway: TestGateway;
let key: string;
let keyId: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  ({ key, id: keyId } = await gateway.createKey({ credits: '1000000', concurrency: '1000' }));
});
afterAll(() => gateway.stop());

interface Asked {
  readonly played: PlayedJob;
  readonly stream: Promise<StreamReader>;
}

/** Asks for a stream, and takes its job. */
async function ask(asking = key): Promise<Asked> {
  const headers = { 'X-API-Key': asking, Accept: 'text/event-stream' };
  const stream = readStream(`${gateway.url}/api/ai?prompt=hi`, headers);
  stream.catch(() => undefined);
  return { stream, played: await takeJob(gateway.redis.client) };
}

/** The text of a stream that ends with `done`. */
async function textOf(stream: Promise<StreamReader>): Promise<string> {
  const reader = await stream;
  let text = '';
  for (;;) {
    const event = await reader.next();
    if (event.event === 'done') break;
    if (event.event !== 'delta') throw new Error(`${event.event}: ${JSON.stringify(event.data)}`);
    text += String(event.data['text']);
  }
  await reader.ended();
  return text;
}

const metric = async (name: string): Promise<number> => {
  const page = await (await fetch(gateway.metricsUrl)).text();
  const line = page.split('\n').find((one) => one.startsWith(name)) ?? '';
  return Number(line.slice(line.lastIndexOf(' ')));
};

async function eventually<Value>(look: () => Promise<Value>, isThere: (value: Value) => boolean): Promise<void> {
  while (!isThere(await look())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('an answer as events', () => {
  test('is a delta for each piece, then the envelope without its result', async () => {
    const { played, stream } = await ask();
    expect(played.job.stream).toBe(true);
    await played.frames(['text', 0, 'Palm ']);
    const reader = await stream;
    expect(reader.status).toBe(200);
    expect(Object.fromEntries(reader.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': played.job.id,
      'access-control-allow-origin': '*',
    });
    expect(reader.headers.get('x-ratelimit-remaining')).not.toBeNull();
    expect(await reader.next()).toEqual({ event: 'delta', id: `${played.job.id}:-.5.0`, data: { text: 'Palm ' } });
    await played.frames(['text', 5, 'leaves'], ['text', 11, ' 😀']);
    expect(await reader.next()).toMatchObject({ data: { text: 'leaves' } });
    expect(await reader.next()).toMatchObject({ id: `${played.job.id}:-.14.0`, data: { text: ' 😀' } });
    await played.settle({ text: 'Palm leaves 😀' }, { texts: false });
    const { event, data } = await reader.next();
    expect([event, data]).toEqual([
      'done',
      {
        status: true,
        code: 200,
        message: 'Sukses',
        metadata: {
          api_version: '2.0.0',
          timestamp: expect.any(String),
          request_id: played.job.id,
          response_time: expect.any(Number),
          remaining_requests: expect.any(Number),
          finish_reason: 'stop',
          usage: expect.objectContaining({ total_tokens: expect.any(Number) }),
        },
      },
    ]);
    await reader.ended();
  });

  test('comes with the settlement where no frame has come: an older worker', async () => {
    const { played, stream } = await ask();
    await played.settle({ text: 'all at once' });
    expect(await textOf(stream)).toBe('all at once');
  });

  test('is in one piece for a client that takes anything', async () => {
    const response = fetch(`${gateway.url}/api/ai?prompt=hi`, { headers: { 'X-API-Key': key, Accept: '*/*' } });
    const played = await takeJob(gateway.redis.client);
    expect(played.job.stream).toBeUndefined();
    await played.settle({ text: 'one piece' });
    expect(await (await response).json()).toMatchObject({ result: 'one piece' });
  });

  test('has no gap where frames were lost: it is filled from the partial text, and at the end from the result', async () => {
    const { played, stream } = await ask();
    const before = await metric('gateway_stream_gaps_filled_total');
    await played.frames(['text', 0, 'a']);
    await played.partial('text', 'abcd');
    await played.frames(['text', 3, 'de'], ['text', 5, 'f']);
    const reader = await stream;
    expect(await reader.next()).toMatchObject({ data: { text: 'a' } });
    expect(await reader.next()).toMatchObject({ data: { text: 'bcd' } });
    expect(await reader.next()).toMatchObject({ data: { text: 'ef' } });
    await played.settle({ text: 'abcdefghi' }, { texts: false });
    expect(await reader.next()).toMatchObject({ event: 'delta', data: { text: 'ghi' } });
    expect(await reader.next()).toMatchObject({ event: 'done' });
    expect((await metric('gateway_stream_gaps_filled_total')) - before).toBe(2);
  });

  test('takes the frames of one start alone, and leaves reasoning and calls out', async () => {
    const { played, stream } = await ask();
    await played.frames(['reasoning', 0, 'hm'], ['text', 0, 'a', 2], ['text', 1, 'X', 1], ['text', 1, 'b', 2]);
    await played.frames(['call', 0, JSON.stringify({ id: 'c', name: 'f', arguments: '{}' }), 2]);
    await played.settle({ text: 'abc', reasoning: 'hm', toolCalls: [] }, { texts: false });
    expect(await textOf(stream)).toBe('abc');
  });

  test('keeps each line below 32 KiB, whatever has to be escaped, and cuts no character', async () => {
    const { played, stream } = await ask();
    const text = `${'\u0001'.repeat(20_000)}${'😀'.repeat(20_000)}`;
    await played.settle({ text }, { texts: false });
    const reader = await stream;
    let got = '';
    for (let event = await reader.next(); event.event === 'delta'; event = await reader.next()) {
      expect(JSON.stringify(event.data).length).toBeLessThan(32_700);
      expect(String(event.data['text']).isWellFormed()).toBe(true);
      got += String(event.data['text']);
    }
    expect(got).toBe(text);
  });

  test('of many readers reaches each its own', async () => {
    const asked = await Promise.all(Array.from({ length: 100 }, () => ask()));
    const textFor = (id: string) => `text of ${id}`;
    const readers = Promise.all(
      asked.map(async ({ stream }) => {
        const reader = await stream;
        expect(await textOf(stream)).toBe(textFor(reader.headers.get('x-request-id') ?? ''));
      }),
    );
    await Promise.all(
      asked.map(async ({ played }) => {
        const text = textFor(played.job.id);
        for (let at = 0; at < text.length; at += 7) await played.frames(['text', at, text.slice(at, at + 7)]);
        await played.settle({ text }, { texts: false });
      }),
    );
    await readers;
    await eventually(
      () => metric('gateway_streams_open'),
      (open) => open === 0,
    );
  });
});

describe('an answer that fails', () => {
  test('has a status of its own before the first event', async () => {
    const { played, stream } = await ask();
    await played.settle({ v: 1, outcome: 'failed', error: 'upstream_error' });
    const reader = await stream;
    expect([reader.status, reader.headers.get('content-type')]).toEqual([502, 'application/json; charset=utf-8']);
    const refused = await fetch(`${gateway.url}/api/ai`, { headers: { Accept: 'text/event-stream' } });
    expect(refused.status).toBe(400);
  });

  test('ends with an error in the stream after it, and is reported as what it was', async () => {
    const { played, stream } = await ask();
    await played.frames(['text', 0, 'a']);
    const reader = await stream;
    await played.settle({ v: 1, outcome: 'failed', error: 'stream_broken' });
    await reader.next();
    const { event, data } = await reader.next();
    expect([event, data]).toEqual([
      'error',
      { status: false, code: 502, error: 'Upstream error', message: expect.stringContaining('not charged') },
    ]);
    await reader.ended();
    expect(await metric('gateway_requests_total{endpoint="/api/ai",outcome="server_error"')).toBeGreaterThan(0);
  });
});

describe('a caller who leaves in mid-stream', () => {
  test('has the work stopped, and pays as the worker says', async () => {
    const { played, stream } = await ask();
    await played.frames(['text', 0, 'a']);
    const reader = await stream;
    await reader.next();
    const subscriber = gateway.redis.client.duplicate();
    await subscriber.subscribe(redisKeys.cancellations);
    const cancelled = new Promise((resolve) => subscriber.on('message', (_channel, id) => resolve(id)));
    reader.close();
    expect(await cancelled).toBe(played.job.id);
    await played.settle({ v: 1, outcome: 'failed', error: 'client_closed' });
    await eventually(
      () => metric('gateway_stream_disconnects_total{job="stopped"'),
      (count) => count === 1,
    );
    expect(await metric('gateway_callers_left_total{charge="charged"')).toBe(1);
    expect(await gateway.redis.client.zcard(redisKeys.keyFlight(keyId))).toBe(0);
    subscriber.disconnect();
  });

  test('stops nothing where the key lets the request finish', async () => {
    const finishing = await gateway.createKey({ onDisconnect: 'finish' });
    const { played, stream } = await ask(finishing.key);
    await played.frames(['text', 0, 'a']);
    const reader = await stream;
    await reader.next();
    const disconnects = 'gateway_stream_disconnects_total{job="finished"';
    const before = await metric(disconnects);
    reader.close();
    // Long enough for the gateway to see it: another request goes its whole way.
    await (await fetch(`${gateway.url}/api/ai`, { headers: { 'X-API-Key': finishing.key } })).text();
    expect(await gateway.redis.client.exists(redisKeys.request(played.job.id))).toBe(0);
    await played.settle({ text: 'all of it' }, { texts: false });
    await eventually(
      () => metric(disconnects),
      (count) => count === before + 1,
    );
    expect(await readSettlement(gateway.redis.client, played.job.id)).toMatchObject({ text: 'all of it' });
    expect(await gateway.redis.client.hget(redisKeys.apiKey(finishing.id), 'charged')).toBe('1');
  });
});

describe('a reader of one byte a second', () => {
  test('is cut and never the job, whose answer can be asked for once more; others read on', async () => {
    const cuts = 'gateway_stream_readers_cut_total';
    const before = await metric(cuts);
    // More than kernels keep.
    const piece = 'All of this is long. '.repeat(1_500);
    const text = piece.repeat(190);
    const slow = readSlowly('/api/ai?prompt=hi');
    const played = await takeJob(gateway.redis.client);
    const { played: other, stream } = await ask();
    await other.frames(['text', 0, 'quick ']);
    const cancelled: string[] = [];
    const subscriber = gateway.redis.client.duplicate();
    await subscriber.subscribe(redisKeys.cancellations);
    subscriber.on('message', (_channel, id: string) => cancelled.push(id));
    // What the gateway does not keep for the slow reader it reads anew.
    await played.partial('text', text);
    for (let at = 0; at < text.length; at += piece.length) await played.frames(['text', at, piece]);
    await eventually(
      () => metric(cuts),
      (count) => count === before + 1,
    );
    expect(slow.bytes()).toBeLessThan(1_000);
    await other.settle({ text: 'quick reader' }, { texts: false });
    expect(await textOf(stream)).toBe('quick reader');
    expect(cancelled).toEqual([]);
    await played.settle({ text }, { texts: false });
    await eventually(
      () => gateway.redis.client.zcard(redisKeys.keyFlight(keyId)),
      (count) => count === 0,
    );
    const again = await fetch(`${gateway.url}/api/requests/${played.job.id}`, { headers: { 'X-API-Key': key } });
    const { result } = (await again.json()) as { result: string };
    expect(result.length).toBe(text.length);
    // What the gateway's system had taken for it is gone: there is no more than its own has.
    await slow.readOn();
    expect(slow.bytes()).toBeLessThan(1_000_000);
    subscriber.disconnect();
  });

  /** Asks on a socket of its own, whose every byte is taken out of the kernel by itself. */
  function readSlowly(path: string) {
    let bytes = 0;
    let isSlow = true;
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({
      ...{ host: hostname, port: Number(port) },
      onread: {
        buffer: () => Buffer.alloc(isSlow ? 1 : 65_536),
        callback(read) {
          bytes += read;
          return !isSlow;
        },
      },
    });
    socket.on('error', () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nAccept: text/event-stream\r\n\r\n`);
    const timer = setInterval(() => socket.resume(), 1_000);
    return {
      bytes: () => bytes,
      /** Takes all that is left, until the connection is gone. */
      async readOn() {
        clearInterval(timer);
        isSlow = false;
        const closed = new Promise((resolve) => socket.once('close', resolve));
        socket.resume();
        await closed;
      },
    };
  }
});
