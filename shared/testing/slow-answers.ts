import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { answerBody, type Protocol, type StreamedAnswer, streamedBodies, UPSTREAM_WORDS } from './fake-answers.ts';

const HUGE_BYTES = 50 * 1024 * 1024;

/** Throws when the client leaves first, so that no timer outlives a test. */
export async function delayWhileOpen(delayMs: number, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  const leave = () => left.abort();
  response.once('close', leave);
  try {
    await delay(delayMs, undefined, { signal: left.signal });
  } finally {
    response.off('close', leave);
  }
}

/** An answer that never ends: a byte now and then. */
export function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{');
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
}

/** An answer of 50 MB. */
export async function sendHuge(protocol: Protocol, response: ServerResponse): Promise<void> {
  const marker = 'HERE';
  const [head = '', tail = ''] = JSON.stringify(answerBody(protocol, marker)).split(marker);
  const chunk = 'x'.repeat(64 * 1024);
  const pieces = function* () {
    yield head;
    for (let sent = 0; sent < HUGE_BYTES; sent += chunk.length) yield chunk;
    yield tail;
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  await pipeline(Readable.from(pieces()), response);
}

export interface StreamOptions {
  readonly protocol: Protocol;
  /** Whether token counts were asked for. */
  readonly withUsage: boolean;
  /** Between two events, ms. */
  readonly paceMs?: number | undefined;
}

export const eventOf = (body: unknown) => `data: ${JSON.stringify(body)}\n\n`;

/** An answer as a stream of events, at a pace. */
export async function streamAnswer(answer: StreamedAnswer, options: StreamOptions, response: ServerResponse) {
  response.writeHead(200, STREAM_TYPE);
  for (const body of streamedBodies(options.protocol, answer, options.withUsage)) {
    response.write(eventOf(body));
    if (options.paceMs) await delayWhileOpen(options.paceMs, response);
  }
  response.end(options.protocol === 'openai' ? 'data: [DONE]\n\n' : '');
}

const STREAM_TYPE = { 'content-type': 'text/event-stream; charset=utf-8' };

/** A stream that never ends: a byte now and then. */
export function dripEvents(response: ServerResponse): void {
  response.writeHead(200, STREAM_TYPE).write('data: {');
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
}

/** A stream of 50 MB in small events. */
export async function streamHuge(protocol: Protocol, response: ServerResponse): Promise<void> {
  const [event = ''] = streamedBodies(protocol, { text: 'x'.repeat(4_096), pieceLength: 4_096 }, false)
    .slice(protocol === 'openai' ? 1 : 0)
    .map(eventOf);
  const events = function* () {
    for (let sent = 0; sent < HUGE_BYTES; sent += event.length) yield event;
  };
  response.writeHead(200, STREAM_TYPE);
  await pipeline(Readable.from(events()), response);
}

/** The first events of an answer, and the end of the connection. */
export function streamHalf(protocol: Protocol, response: ServerResponse): void {
  const events = streamedBodies(protocol, { text: 'The first half, and the second one, which never comes.' }, false);
  response.writeHead(200, STREAM_TYPE);
  response.write(events.slice(0, 4).map(eventOf).join(''), () => response.socket?.end());
}

/** The first events of an answer, and an error among them. */
export function streamError(protocol: Protocol, error: object, response: ServerResponse): void {
  const events = streamedBodies(protocol, { text: 'As far as ' }, false).slice(0, 2);
  response
    .writeHead(200, STREAM_TYPE)
    .end([...events, { error: { message: UPSTREAM_WORDS, ...error } }].map(eventOf).join(''));
}
