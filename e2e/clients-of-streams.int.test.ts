import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createProxy, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { gatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { createRegistry } from '@lontar/shared/metrics.ts';
import type { RedisTime } from '@lontar/shared/redis-clock.ts';
import type { Answered } from '@lontar/shared/settlement/settlement.ts';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { AnswerStream } from '../gateway/src/live/answer-stream.ts';
import { BEGINNING } from '../gateway/src/live/cursor.ts';
import { chatChunks } from '../gateway/src/openai/render-chunk.ts';
import { createEventStreams } from '../gateway/src/server/event-streams.ts';
import { TEXT_BY_CLIENT } from './harness/openai-clients.ts';

/** Lines as long as ours may be (a control character takes six bytes), and characters of all lengths. */
const TEXT = `${'\u0001'.repeat(12_000)}${'Palm 🌴 größer 漢字 👩‍👩‍👧 \u2028 "quoted" \\ \n\n'.repeat(150)}end`;
const HEARTBEAT = ': x\n';
const LONGEST_LINE = 32 * 1024;

/*
 * What real clients make of what is rare in our streams, and legal: lines of 32 KiB, a heartbeat every millisecond, and bytes
 * that come cut anywhere. Written by the gateway's own parts, whose heartbeat is one in ten seconds of silence.
 */

const random = seededRandom(17);
const closing: (() => void)[] = [];
let baseURL: string;
/** Of the stream that was sent last. */
let longestLine = 0;
let heartbeats = 0;

beforeAll(async () => {
  const metrics = gatewayMetrics(createRegistry('gateway', 'test'));
  const times = { headMs: 15_000, silenceMs: 1, lookMs: 1 };
  const streams = createEventStreams({ metrics, draining: () => false, times });
  const server = createServer((request, response) => {
    request.resume();
    void sendAnswer(streams, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = createProxy((client) => void cutBytes(client, (server.address() as AddressInfo).port));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  baseURL = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/v1`;
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => proxy.close(),
  );
});
afterAll(() => {
  for (const close of closing) close();
});

/** Sends the text in pieces that are cut anywhere, with some heartbeats between each two. */
async function sendAnswer(streams: ReturnType<typeof createEventStreams>, response: ServerResponse): Promise<void> {
  longestLine = 0;
  heartbeats = 0;
  const headers = { 'Content-Type': 'text/event-stream; charset=utf-8' };
  const stream = streams.open(response, { receivedAt: performance.now() }, headers);
  const form = chatChunks(
    { requestId: 'req_0000000000000000000001', job: { model: 'm', receivedAt: 0 as RedisTime } },
    false,
  );
  const write = (events: string) => {
    longestLine = Math.max(longestLine, ...events.split('\n').map((line) => Buffer.byteLength(line)));
    stream.write(events);
  };
  const answer = new AnswerStream(BEGINNING, {
    hasRoom: () => true,
    writeReasoning: () => undefined,
    writeText: (text) => write(form.text(text, answer)),
    writeCall: () => undefined,
  });
  for (let from = 0; from < TEXT.length; ) {
    const piece = TEXT.slice(from, from + 1 + Math.floor(random() * 2_000) + (from === 0 ? 6_000 : 0));
    answer.take(['', 1, 'text', from, piece]);
    from += piece.length;
    const wanted = heartbeats + 3;
    while (heartbeats < wanted) await turn();
  }
  const settled = { finishReason: 'stop', masked: { url: 0, key: 0, ip: 0, connection: 0 } } as Answered;
  stream.end(form.done({ status: 200 } as never, settled, answer));
}

/** Hands on the answer's bytes in pieces of any length, each by itself. */
async function cutBytes(client: Socket, port: number): Promise<void> {
  const upstream = connect(port, '127.0.0.1');
  closing.push(() => client.destroy());
  client.on('error', () => undefined).setNoDelay(true);
  upstream.on('error', () => undefined);
  client.pipe(upstream);
  for await (const bytes of upstream as AsyncIterable<Buffer>) {
    heartbeats += bytes.toString('latin1').split(HEARTBEAT).length - 1;
    for (let from = 0; from < bytes.length; ) {
      const to = from + 1 + Math.floor(random() * (random() < 0.5 ? 5 : 4_000));
      client.write(bytes.subarray(from, to));
      from = to;
      await turn();
    }
  }
  client.end();
}

test.each(Object.entries(TEXT_BY_CLIENT))(
  '%s reads lines of 32 KiB among heartbeats, whatever comes together',
  async (_name, read) => {
    // Without printing it where it is another one.
    expect((await read(baseURL)) === TEXT).toBe(true);
    expect(longestLine).toBeGreaterThan(LONGEST_LINE * 0.9);
    expect(longestLine).toBeLessThanOrEqual(LONGEST_LINE);
    expect(heartbeats).toBeGreaterThan(10);
  },
);
