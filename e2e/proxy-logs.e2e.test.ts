import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '@lontar/shared/testing/redis-server.ts';
import { eventually } from './harness/eventually.ts';
import { type OverTls, openTls } from './harness/over-tls.ts';
import { caddy, nginx, type Proxy } from './harness/proxies.ts';

/** Where callers and operators put what no log may hold: a word of its own for each, to know which one is there. */
const REQUESTS: readonly (readonly [string, string, string, Record<string, string>?])[] = [
  ['a key in the URL', 'canary-1', '/api/ai?apikey=canary-1'],
  ['a prompt in the URL', 'canary-2', '/api/ai?prompt=canary-2'],
  ['the code of a sign-in link', 'canary-3', '/?code=canary-3'],
  ['a key in X-Api-Key', 'canary-4', '/api/ai', { 'x-api-key': 'canary-4' }],
  ['a key in Authorization', 'canary-5', '/api/ai', { authorization: 'Bearer canary-5' }],
  ["an operator's cookie", 'canary-6', '/dashboard/events', { cookie: 'session=canary-6' }],
  // What a browser asks for after the proxy has answered a sign-in link with a page of its own.
  ['the sign-in link before', 'canary-7', '/favicon.ico', { referer: 'https://llm.example.com/?code=canary-7' }],
];

// While a gateway restarts, proxies log requests elsewhere, and otherwise, than those that were answered.
describe.each([
  // nginx names no error of a request without the whole request line, and therefore need not say any.
  { name: 'nginx', kind: nginx, said: '' },
  { name: 'caddy', kind: caddy, said: 'connection refused' },
])('behind $name, with no gateway there', ({ kind, said }) => {
  const here = kind.isHere ? test : test.skip;
  let proxy: Proxy | undefined;
  let tls: OverTls | undefined;
  let access: string;
  let errors: string;

  beforeAll(async () => {
    if (!kind.isHere) return;
    proxy = await kind.start([`127.0.0.1:${await freePort()}`], { waits: false });
    tls = openTls(proxy);
    for (const [, , path, headers = {}] of REQUESTS) expect((await tls.ask(path, { headers })).status).toBe(502);
    // Either writes the line in its access log last.
    await eventually(async () => (await proxy!.accessLog()).split('\n').length > REQUESTS.length);
    [access, errors] = await Promise.all([proxy.accessLog(), proxy.errorLog()]);
  });
  afterAll(async () => {
    tls?.close();
    await proxy?.stop();
  });

  here.each(REQUESTS)('%s is in neither log', (_name, canary, path) => {
    expect(access).toContain(path.split('?')[0]);
    expect(access).not.toContain(canary);
    expect(errors).not.toContain(canary);
  });

  here('the log of errors still says what it may', () => {
    expect(errors).toContain(said);
  });
});
