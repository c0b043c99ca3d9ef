import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import express, { type Request } from 'express';
import { letGoOfRouting } from './routing.ts';

let server: Server;
afterEach(() => {
  server.close();
});

test('Express keeps its search for a route in two properties, and answers without them', async () => {
  const kept: unknown[] = [];
  const keptBy = (request: Request) =>
    [request.next, (request as { _parsedUrl?: unknown })._parsedUrl].map((it) => typeof it);
  const app = express();
  app.use((_request, _response, next) => next());
  app.all('/of/:name', (request, response) => {
    kept.push(keptBy(request));
    letGoOfRouting(request);
    kept.push(keptBy(request));
    // Later, when Express's own functions have returned.
    setImmediate(() => response.json([request.path, request.baseUrl, request.params['name'], request.originalUrl]));
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/of/x?y=1`);
  expect(await answer.json()).toEqual(['/of/x', '', 'x', '/of/x?y=1']);
  expect(kept).toEqual([
    ['function', 'object'],
    ['undefined', 'undefined'],
  ]);
});
