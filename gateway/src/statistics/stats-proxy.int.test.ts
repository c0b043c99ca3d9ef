import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import express from 'express';
import { get, sendRaw } from '../../testing/raw-request.ts';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { createStatsProxy } from './stats-proxy.ts';

let stats: Server;
let gateway: TestGateway;
let asked: (string | undefined)[];
let answer: RequestListener;

beforeAll(async () => {
  // In the place of stats-service, so that what reaches it can be seen.
  stats = createServer((request, response) => {
    asked.push(request.url);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(stats, 'listening');
  gateway = await startTestGateway({
    STATS_URL: `http://127.0.0.1:${(stats.address() as AddressInfo).port}`,
    // All callers of a test have one address.
    MAX_CONNECTIONS_PER_ADDRESS: '1000',
  });
});
afterAll(async () => {
  await gateway.stop();
  stats.close();
  stats.closeAllConnections();
});
beforeEach(() => {
  asked = [];
  answer = ({ url }, response) => void response.end(url === '/api/health' ? '{"status":"ok"}' : 'from stats-service');
});

describe('what is forwarded', () => {
  test.each([
    ['/', '/'],
    ['/?code=a%2Fb', '/?code=a%2Fb'],
    ['/assets/index-Ab_1.min.js', '/assets/index-Ab_1.min.js'],
    ['/dashboard/log/1-0?after=../x', '/dashboard/log/1-0?after=../x'],
    ['/api/usage', '/api/usage'],
    ['http://gateway/api/usage?a=b', '/api/usage?a=b'],
  ])('%s, as %s', async (target, forwarded) => {
    expect(await sendRaw(gateway.url, get(target))).toMatch(/^HTTP\/1\.1 200 /);
    expect(asked).toEqual([forwarded]);
  });

  const up = ['..', '%2e%2e', '%2E%2e', '.%2e', '%2e.', '%252e%252e', '..;', '%2e%2e%2f..', '..%5c..', '..\\..'];
  const slash = ['/', '%2f', '//', '\\', '%5c', '/./', '/%2e/', '/\t/', '/#/'];
  const targets = ['/dashboard', '/assets', '/dashboard/x', '//dashboard', 'http://gateway/dashboard'].flatMap((page) =>
    up.flatMap((dots) => slash.map((mark) => `${page}${mark}${dots}${mark}prometheus/aggregate`)),
  );
  targets.push(
    ...['/dashboard/', '/dashboard//log', '/dashboard/.', '/dashboard/..', '/assets/.env', '/assets/%2e%2e/index.html'],
    ...['/./', '/..', '//', '\\', '/dashboard/log%00', '/dashboard/l%6fg', '/dashboard/%zz', '/Dashboard/log'],
    ...['/dashboard/../api/usage', '/dashboard/../../api/health', '/assets/..\\prometheus\\targets'],
    ...[
      '/prometheus/aggregate',
      '//prometheus/aggregate',
      'http://gateway//prometheus/aggregate',
      '*',
      'dashboard/log',
    ],
  );
  test('never a path that a server could read as another one', async () => {
    const statuses = new Set<string>();
    for (const target of targets) statuses.add((await sendRaw(gateway.url, get(target))).slice(9, 12));
    expect(asked).toEqual([]);
    // What is no HTTP at all gets 400; the rest does not exist.
    expect([...statuses].sort()).toEqual(['400', '404']);
  });
});

describe('a connection', () => {
  const hopByHop = {
    Connection: 'keep-alive, X-Hop',
    'Keep-Alive': 'timeout=65',
    'X-Hop': '1',
    'Proxy-Connection': 'a',
  };
  const request = (version: string, ...headers: readonly string[]) =>
    [`GET /api/usage HTTP/${version}`, 'Host: gateway', ...headers, '', ''].join('\r\n');
  beforeEach(() => {
    answer = (_request, response) =>
      void response.writeHead(200, { ...hopByHop, 'Content-Length': 18 }).end('from stats-service');
  });

  test.each([
    ['1.1', 'Connection: close'],
    ['1.1', 'connection: Close'],
    ['1.0', 'X-None: 1'],
    ['1.0', 'Connection: close'],
  ])('of HTTP/%s with %s ends with the answer', async (version, header) => {
    const reply = await sendRaw(gateway.url, request(version, header));
    expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(reply).toMatch(/^connection: close\r$/im);
    expect(reply).toContain('from stats-service');
    expect(reply).not.toMatch(/^(keep-alive|x-hop|proxy-connection):/im);
  });

  test.each([
    ['1.1', 'X-None: 1'],
    ['1.0', 'Connection: keep-alive'],
  ])('of HTTP/%s with %s serves the next request, too', async (version, header) => {
    const reply = await sendRaw(gateway.url, request(version, header) + request('1.1', 'Connection: close'));
    expect(reply.match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(2);
    expect(reply.match(/^connection: .*$/gim)).toEqual(['Connection: keep-alive', 'Connection: close']);
    // The gateway's own, not that of its connection to stats-service.
    expect(reply).not.toMatch(/^(x-hop|proxy-connection):/im);
  });

  test('gets a stream piece by piece, and with HTTP/1.0 up to its end', async () => {
    answer = (_request, response) => {
      response.write('one,');
      response.end('two');
    };
    expect(await sendRaw(gateway.url, request('1.1', 'Connection: close'))).toMatch(/chunked\r\n.*one,.*two/is);
    const reply = await sendRaw(gateway.url, request('1.0'));
    expect(reply).toMatch(/\r\n\r\none,two$/);
    expect(reply).not.toMatch(/^transfer-encoding:/im);
  });
});

describe('health', () => {
  const trio = (remaining: number) =>
    new RegExp(`^X-RateLimit-Limit: 1000000\r$.*^X-RateLimit-Remaining: ${remaining}\r$`, 'ims');
  const ask = (method: string, target: string) => sendRaw(gateway.url, get(target).replace('GET', method));
  const banned = redisKeys.addressBan('127.0.0.1');
  beforeEach(async () => void (await gateway.redis.client.del(redisKeys.addressHour('127.0.0.1'), banned)));

  test('gives the hour of the address whatever the method, and counts nothing', async () => {
    expect(await ask('GET', '/api/usage')).toMatch(trio(999_999));
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'GET']) {
      const reply = await ask(method, '/api/health');
      expect(reply).toMatch(method === 'GET' ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 405 .*^Allow: /ims);
      expect(reply).toMatch(trio(999_999));
    }
    expect(await ask('POST', '/api/usage')).toMatch(trio(999_998));
  });

  test('is there for addresses that are banned', async () => {
    await gateway.redis.client.set(banned, 'operator');
    expect(await ask('GET', '/api/usage')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await ask('GET', '/api/health')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask('POST', '/api/health')).toMatch(/^HTTP\/1\.1 405 /);
  });

  test('does not wait while Redis hangs', async () => {
    gateway.redis.process().kill('SIGSTOP');
    const ended: string[] = [];
    const note = async (target: string) => {
      const reply = await ask('GET', target);
      ended.push(target);
      return reply;
    };
    const [usage, health] = await Promise.all([note('/api/usage'), note('/api/health')]);
    gateway.redis.process().kill('SIGCONT');
    expect(usage).toMatch(/^HTTP\/1\.1 503 /);
    expect(health).toMatch(/^HTTP\/1\.1 200 /);
    expect(health).not.toMatch(/^X-RateLimit/im);
    // Refusals come when the command has timed out; health has its answer by then.
    expect(ended).toEqual(['/api/health', '/api/usage']);
  });
});

describe('what is between us', () => {
  test('the secret goes to stats-service and nothing of the kind comes from callers or goes to them', async () => {
    const seen: IncomingHttpHeaders[] = [];
    answer = (request, response) => {
      seen.push(request.headers);
      response.setHeader('X-Lontar-Spent-Uploads', '20 20 1').end('{}');
    };
    for (const path of ['/api/usage', '/', '/api/health']) {
      const forged = 'X-Lontar-Inner-Secret: forged\r\nX-Lontar-Client-Address: 192.0.2.99\r\nHost:';
      const reply = await sendRaw(gateway.url, get(path).replace('Host:', forged));
      expect(reply).not.toMatch(/x-lontar|forged/i);
    }
    expect(new Set(seen.map((headers) => headers['x-lontar-inner-secret']))).toEqual(new Set([gateway.innerSecret]));
    expect(seen.map((headers) => headers['x-lontar-client-address'])).not.toContain('192.0.2.99');
  });

  test('a stats-service with another secret is one that cannot be reached', async () => {
    answer = (_request, response) =>
      void response.writeHead(403, { 'X-Lontar-Inner-Refusal': 'secret' }).end('{"message":"for the operator"}');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    for (const path of ['/api/usage', '/', '/dashboard/events', '/api/health']) {
      const reply = await sendRaw(gateway.url, get(path));
      expect(reply).toMatch(/^HTTP\/1\.1 503 .*statistics cannot be reached/s);
      expect(reply).not.toMatch(/for the operator|x-lontar/i);
    }
  });

  test('a body is handed on whole, with its length, and none of a GET', async () => {
    const bodies: string[] = [];
    answer = (request, response) => {
      void text(request).then((body) => {
        bodies.push(`${request.method} ${request.headers['content-length']} ${body}`);
        response.end('done');
      });
    };
    const post = (head: string, body: string) =>
      sendRaw(gateway.url, `${head} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${body}`);
    await post('POST /dashboard/session', 'Content-Length: 5\r\n\r\nfirst');
    await post('POST /dashboard/session', 'Transfer-Encoding: chunked\r\n\r\n3\r\nsec\r\n3\r\nond\r\n0\r\n\r\n');
    await post('POST /dashboard/sign-out', '\r\n');
    await post('GET /dashboard/session', 'Content-Length: 5\r\n\r\nthird');
    const last = await post('GET /api/usage', 'Transfer-Encoding: chunked\r\n\r\n6\r\nfourth\r\n0\r\n\r\n');
    expect(last).toContain('200 OK');
    expect(bodies).toEqual(['POST 5 first', 'POST 6 second', 'POST 0 ', 'GET undefined ', 'GET undefined ']);
  });

  test('readers who take their time do not hold all connections of pages', async () => {
    const waiting: ServerResponse[] = [];
    answer = (_request, response) => void waiting.push(response);
    const replies: string[] = [];
    const asking = Array.from({ length: 40 }, async () => {
      replies.push(await sendRaw(gateway.url, get('/assets/slow.js')));
    });
    // Those that are one too many are answered at once.
    const end = performance.now() + 20_000;
    while (replies.length < 8 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const reply of replies) expect(reply).toMatch(/^HTTP\/1\.1 503 .*^Connection: close\r$.*Too many pages/ims);
    expect([replies.length, waiting.length]).toEqual([8, 32]);
    for (const response of waiting) response.end('late');
    await Promise.all(asking);
    expect(replies.filter((reply) => reply.endsWith('late'))).toHaveLength(32);
    answer = (_request, response) => void response.end('again');
    expect(await sendRaw(gateway.url, get('/assets/quick.js'))).toMatch(/again$/);
  });
});

test('answers that cannot be sent yet hold no connection to stats-service', async () => {
  const asset = Buffer.alloc(200_000, 'x');
  answer = ({ url }, response) => {
    if (url === '/dashboard/events') response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('first,');
    else response.end(url === '/' ? 'the page' : asset);
  };
  const stays = (path: string) => get(path).replace('Connection: close\r\n', '');
  const { port } = new URL(gateway.url);
  const idle = Array.from({ length: 6 }, (_, index) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: `127.0.2.${index + 1}` });
    // As many as a connection may send before the first is answered in full, which it never is.
    socket.write(stays('/dashboard/events') + stays('/assets/large.js').repeat(31));
    return socket.on('error', () => undefined);
  });
  const end = performance.now() + 20_000;
  while (asked.length < 6 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await sendRaw(gateway.url, get('/'))).toMatch(/^HTTP\/1\.1 200 .*the page$/s);
  // What stands behind an answer that does not end has not been asked for.
  expect(asked).toEqual([...Array.from({ length: 6 }, () => '/dashboard/events'), '/']);
  for (const socket of idle) socket.destroy();
});

describe('while stats-service hangs', () => {
  const message = 'The statistics cannot be reached now. Generation goes on; try again in a few seconds.';
  const refused = { status: false, code: 503, message, error: 'Service unavailable' };

  test('every client gets 503, those behind the last free connection too, and live streams go on', async () => {
    let stream: ServerResponse | undefined;
    answer = (request, response) => {
      if (request.url !== '/dashboard/events') return;
      stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      stream.write('first,');
    };
    const reading = sendRaw(gateway.url, get('/dashboard/events'));
    while (stream === undefined) await new Promise(setImmediate);
    const api = ['/api/health', '/api/usage', '/api/check-limit', '/api/stats'];
    // Of pages, an address may have 32 in work.
    const targets = Array.from({ length: 600 }, (_, index) => (index < 30 ? '/' : (api[index % api.length] ?? '')));
    const replies = await Promise.all(targets.map((target) => sendRaw(gateway.url, get(target))));
    for (const reply of replies) {
      expect(reply).toMatch(/^HTTP\/1\.1 503 .*^Retry-After: 5\r$.*^Connection: close\r$/ims);
      expect(JSON.parse(reply.slice(reply.indexOf('{')))).toEqual(refused);
    }
    stream.end('last');
    expect(await reading).toMatch(/first,.*last/s);
  });

  test('who opens the dashboard in a browser gets a page that says so, and tries again', async () => {
    answer = () => undefined;
    const [page, api] = await Promise.all(
      ['/', '/api/usage'].map((path) => fetch(gateway.url + path, { headers: { accept: 'text/html,*/*' } })),
    );
    expect([page?.status, page?.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect(page?.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'/);
    expect(await page?.text()).toMatch(/src="\/docs\/try-again.js".*stats-service does not answer/s);
    expect([api?.status, await api?.json()]).toEqual([503, refused]);
  });

  test('a connection that is kept alive serves on after its 503', async () => {
    const stays = get('/api/usage').replace('Connection: close\r\n', '');
    const givenUp = new Promise<void>((resolve) => {
      answer = (request, response) => {
        if (request.url === '/api/usage') request.socket.once('close', () => resolve());
        else response.end('from stats-service');
      };
    });
    const reply = await sendRaw(gateway.url, stays + get('/api/stats'));
    expect(reply.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 503', 'HTTP/1.1 200']);
    // Nothing is left waiting for an answer without a client.
    await givenUp;
  });
});

/** The proxy alone, without the gateway around it. */
async function startProxy() {
  const { port } = stats.address() as AddressInfo;
  const address = { url: `http://127.0.0.1:${port}`, secret: 's'.repeat(32) };
  const proxy = createStatsProxy(address, () => undefined, { headMs: 60_000, wholeMs: 200 });
  const app = express().use((request, response, next) => {
    const context = { address: '192.0.2.1', id: 'req_1' } as RequestContext;
    proxy.forward(request, response, next, { context, path: request.path, protocol: request.protocol });
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    proxy.stop();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, endStreams: proxy.endStreams, stop };
}

test('an answer that does not end is cut, a live stream is not', async () => {
  const proxy = await startProxy();
  const streams: ServerResponse[] = [];
  answer = (request, response) => {
    const isStream = request.url === '/dashboard/events';
    response.writeHead(200, { 'Content-Type': isStream ? 'text/event-stream' : 'text/plain' }).write('first,');
    if (isStream) streams.push(response);
  };
  const reading = sendRaw(proxy.url, get('/dashboard/events'));
  while (streams.length === 0) await new Promise(setImmediate);
  expect(await sendRaw(proxy.url, get('/api/usage'))).toMatch(/first,\r\n$/);
  for (const stream of streams) stream.end('last');
  expect(await reading).toMatch(/first,.*last/s);
  proxy.stop();
});

test('an answer that comes when the gateway has begun to stop closes its connection', async () => {
  const proxy = await startProxy();
  answer = (_request, response) => {
    proxy.endStreams();
    response.end('from stats-service');
  };
  const stays = get('/api/usage').replace('Connection: close\r\n', '');
  expect(await sendRaw(proxy.url, stays)).toMatch(/^connection: close\r$.*from stats-service/ims);
  proxy.stop();
});
