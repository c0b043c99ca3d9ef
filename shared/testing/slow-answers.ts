import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { answerBody, type Protocol } from './fake-answers.ts';

const HUGE_BYTES = 50 * 1024 * 1024;

/** Throws when the client leaves first, so that no timer outlives a test. */
export async function delayWhileOpen(delayMs: number, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  await delay(delayMs, undefined, { signal: left.signal });
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
