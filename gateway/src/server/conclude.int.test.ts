import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { gatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { JsonBytes } from '@lontar/shared/json-bytes.ts';
import { createRegistry } from '@lontar/shared/metrics.ts';
import type { Response } from 'express';
import type { Answer } from '../envelope/answer.ts';
import { Leaving } from '../envelope/leaving.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { type ConcludeDeps, concludeAnswer } from './conclude.ts';

let server: Server | undefined;

afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

const metrics = gatewayMetrics(createRegistry('gateway', 'test'));
const deps = {
  ...{ metrics, logRequests: false, redis: { status: 'ready' }, clock: { now: () => 0 }, draining: () => false },
  events: { append: () => Promise.resolve() },
} as unknown as ConcludeDeps;

/** Serves answers with this result, and gives where. */
async function serve(result: () => unknown): Promise<string> {
  server = createServer((_request, response) => {
    const context = {
      ...{ id: 'req_1', protocol: 'envelope', key: { kind: 'absent' }, receivedAt: performance.now() },
      gone: new Leaving(),
    } as unknown as RequestContext;
    const body = { status: true, result: result(), after: '漢' };
    const answer: Answer = { status: 200, headers: { 'X-Own': 'x' }, body, report: { outcome: 'success' } };
    concludeAnswer(deps, '/api/ai', response as Response, context, answer).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const TEXTS = ['plain '.repeat(20_000), 'é 漢字 \u{1F600} "\\/" \n'.repeat(8_000), '"'.repeat(3_000_000)];

test.each(TEXTS.map((text) => [text.length, text] as const))(
  'an answer whose text came as bytes is the same, with its length: %j units',
  async (_units, text) => {
    const url = await serve(() => new JsonBytes(Buffer.from(JSON.stringify(text))));
    const expected = Buffer.from(JSON.stringify({ status: true, result: text, after: '漢' }));
    // Twice, over one connection.
    for (let time = 0; time < 2; time++) {
      const answer = await fetch(url);
      expect(answer.headers.get('content-length')).toBe(String(expected.length));
      expect(answer.headers.get('x-own')).toBe('x');
      expect(Buffer.from(await answer.arrayBuffer()).equals(expected)).toBe(true);
    }
  },
);

test('the answer to HEAD has its head alone', async () => {
  const url = await serve(() => new JsonBytes(Buffer.from('"漢"')));
  const answer = await fetch(url, { method: 'HEAD' });
  expect(answer.headers.get('content-length')).toBe(
    String(Buffer.byteLength('{"status":true,"result":"漢","after":"漢"}')),
  );
  expect(await answer.text()).toBe('');
});
