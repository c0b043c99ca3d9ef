import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { gatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { createRegistry } from '@lontar/shared/metrics.ts';
import type { Response } from 'express';
import { refuse } from '../envelope/answer.ts';
import { Leaving } from '../envelope/leaving.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import type { ConcludeDeps } from './conclude.ts';
import { concludeStream } from './conclude-stream.ts';
import { createEventStreams } from './event-streams.ts';

let server: Server | undefined;

afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

test('a stream that fails just before its head would go out by itself is answered whole, with its status', async () => {
  const metrics = gatewayMetrics(createRegistry('gateway', 'test'));
  const times = { headMs: 50, silenceMs: 50, lookMs: 5 };
  const streams = createEventStreams({ metrics, draining: () => false, times });
  const conclude = {
    ...{ metrics, logRequests: false, redis: { status: 'ready' }, clock: { now: () => 0 }, draining: () => false },
    // Until the statistics have it the head would be due.
    events: { append: () => delay(200) },
  } as unknown as ConcludeDeps;
  const failing = { headers: {}, run: () => Promise.resolve({ kind: 'unbegun', answer: refuse('timed_out') }) };
  server = createServer((_request, response) => {
    const key = { kind: 'absent' };
    const receivedAt = performance.now();
    const context = { id: 'req_1', protocol: 'envelope', key, receivedAt, gone: new Leaving() };
    const asked = context as unknown as RequestContext;
    concludeStream({ conclude, streams }, '/api/ai', response as Response, asked, failing as never).catch(() =>
      response.destroy(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(answer.status).toBe(504);
  expect(await answer.json()).toMatchObject({ status: false, code: 504 });
});
