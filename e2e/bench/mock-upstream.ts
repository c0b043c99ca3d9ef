/**
 * A lean upstream in a process of its own: it answers OpenAI's `/v1/chat/completions` and Gemini's `:generateContent`
 * with text of a given size after a given time, and does nothing else, so that the others are what is measured.
 * Size and delay stand in the prompt (`2048 bytes after 200 ms`), so that one process serves every round. What asks for a
 * stream gets tokens at a pace (mock-stream.ts).
 *   node e2e/bench/mock-upstream.ts   prints its port
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerBody, type Protocol } from '@lontar/shared/testing/fake-answers.ts';
import { sendStream, takeTimes } from './mock-stream.ts';
import { answerText, readStreamWish, readWish } from './wish.ts';

const ready = new Map<string, Buffer>();

/** Answers are made once per protocol and size, and then only sent. */
function bodyOf(protocol: Protocol, bytes: number): Buffer {
  const name = `${protocol} ${bytes}`;
  const known = ready.get(name);
  if (known) return known;
  const made = Buffer.from(JSON.stringify(answerBody(protocol, answerText(bytes))));
  ready.set(name, made);
  return made;
}

function send(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.byteLength });
  response.end(body);
}

const server = createServer((request, response) => {
  const protocol = request.url?.includes(':generateContent') ? 'gemini' : 'openai';
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const asked = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('latin1');
    const times = /^\/times\/(\w+)$/.exec(request.url ?? '')?.[1];
    if (times !== undefined) return send(response, Buffer.from(JSON.stringify(takeTimes(times))));
    const stream = asked.includes('"stream":true') ? readStreamWish(asked) : undefined;
    if (stream) return sendStream(response, stream);
    const { bytes, delayMs } = readWish(asked);
    const body = bodyOf(protocol, bytes);
    if (delayMs === 0) send(response, body);
    else setTimeout(send, delayMs, response, body);
  });
});
// Clients decide how long connections live.
server.keepAliveTimeout = 0;
server.requestTimeout = 0;
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
await once(server, 'listening');
console.log(JSON.stringify({ msg: 'serves', port: (server.address() as AddressInfo).port }));
