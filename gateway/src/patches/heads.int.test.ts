import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import { beforeHeads, intoHeads } from './heads.ts';

let server: Server;
afterEach(() => {
  server.close();
});

const WAYS: readonly [string, RequestHandler][] = [
  ['sent as JSON', (_request, response) => void response.json({})],
  ['sent as text', (_request, response) => void response.send('x')],
  ['ended without a body', (_request, response) => void response.status(204).end()],
  ['written in pieces', (_request, response) => void (response.write('x'), response.end('y'))],
  ['begun by its head', (_request, response) => void response.writeHead(201, { a: 'b' }).end()],
  ['a redirect', (_request, response) => response.redirect('/')],
];

test.each(WAYS)('an answer that is %s is prepared once, before its head', async (_, handler) => {
  const app = express();
  let prepared = 0;
  beforeHeads(app, (request, response) => {
    prepared++;
    expect(response.headersSent).toBe(false);
    response.setHeader('X-Path', request.url ?? '');
  });
  app.use(handler);
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/path`;
  const { headers } = await fetch(url, { redirect: 'manual' });
  expect([prepared, headers.get('x-path')]).toEqual([1, '/path']);
});

test.each(WAYS)('the head of an answer that is %s gets lines, by what headers it has', async (_, handler) => {
  const app = express();
  intoHeads(
    app,
    (response) => `X-Line: 1\r\nX-Known: ${response.hasHeader('X-Known')}, ${response.hasHeader('A')}\r\n`,
  );
  app.use((_request, response, next) => {
    response.setHeader('X-Known', 'yes');
    next();
  }, handler);
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/path`;
  const { headers } = await fetch(url, { redirect: 'manual' });
  expect(headers.get('x-line')).toBe('1');
  expect(headers.get('x-known')).toBe(`true, ${headers.has('a')}, yes`);
});
