import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { eventually } from './harness/eventually.ts';
import { startClients } from './harness/load.ts';
import { type OverTls, openTls } from './harness/over-tls.ts';
import { caddy, nginx, type Proxy } from './harness/proxies.ts';
import { type Stack, startStack } from './harness/stack.ts';

/** One gateway is enough behind Caddy, which waits for it; behind nginx another one must take over meanwhile. */
describe.each([
  { name: 'nginx', kind: nginx, gateways: 2 },
  { name: 'caddy', kind: caddy, gateways: 1 },
])('behind $name', ({ kind, gateways }) => {
  const here = kind.isHere ? test : test.skip;
  let stack: Stack | undefined;
  let proxy: Proxy;
  let tls: OverTls;
  let key: string;

  beforeAll(async () => {
    if (!kind.isHere) return;
    stack = await startStack({ gateways, stats: true, settings: { TRUST_PROXY: '1' } });
    ({ key } = await stack.createKey());
    proxy = await kind.start(stack.urls.map((url) => new URL(url).host));
    tls = openTls(proxy);
  });
  afterAll(async () => {
    tls?.close();
    await proxy?.stop();
    await stack?.stop();
  });

  const ask: OverTls['ask'] = (path, options) => tls.ask(path, options);
  const json = (body: object) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const post = (prompt: string) => ask('/api/ai', { method: 'POST', ...json({ prompt, apikey: key }) });
  const get = (prompt: string) => ask(`/api/ai?prompt=${prompt}`, { headers: { 'x-api-key': key } });

  here('its program takes the example file', async () => {
    await kind.check(['127.0.0.1:8080', '127.0.0.1:8081']);
  });

  here('callers have the address that they call from, and their key stays out of the logs', async () => {
    const path = `/api/ai?prompt=hello-canary&apikey=${key}`;
    expect(await ask(path)).toMatchObject({ status: 200 });
    const forged = await ask(path, { headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect(forged.status).toBe(200);
    await eventually(async () => (await proxy.accessLog()).split('\n').length > 2);
    const access = await proxy.accessLog();
    expect(access).toContain('/api/ai');
    const log = access + (await proxy.errorLog());
    expect(log).not.toContain(key);
    expect(log).not.toContain('hello-canary');
    const addresses = await stack!.redis.client.keys(redisKeys.addressHour('*'));
    expect(addresses).toEqual([redisKeys.addressHour('127.0.0.1')]);
  });

  here('a file of 10 MB goes up and comes back over HTTPS', async () => {
    const form = new FormData();
    form.append('file', new Blob([Buffer.alloc(10_485_760, 'x')]), 'big.bin');
    const encoded = new Response(form);
    const type = encoded.headers.get('content-type') ?? '';
    const body = Buffer.from(await encoded.arrayBuffer());
    const up = await ask('/api/upload', { method: 'POST', headers: { 'content-type': type, 'x-api-key': key }, body });
    expect(up.status).toBe(201);
    const { url } = (JSON.parse(up.text) as { result: { url: string } }).result;
    expect(url).toMatch(new RegExp(`^https://${proxy.host}[:/]`));
    expect((await ask(new URL(url).pathname)).text).toHaveLength(10_485_760);
  });

  here("the dashboard's live stream arrives as it happens", async () => {
    const { headers } = await signIn();
    // A cookie that a browser would not send over plain HTTP.
    expect(headers['set-cookie']?.[0]).toContain('Secure');
    const stream = await openStream(headers['set-cookie']?.[0]?.split(';')[0] ?? '');
    await stream.says('event: snapshot');
    const { headers: answered } = await post('live');
    await stream.says(String(answered['x-request-id']));
    stream.close();
  });

  here(
    'each gateway is restarted under load, with a page open: no request fails, and every one is counted',
    async () => {
      const counted = async () =>
        (JSON.parse((await ask('/api/usage')).text) as { result: { total: { requests: number } } }).result.total
          .requests;
      const { client } = stack!.redis;
      const allCounted = async () => (await client.xlen(redisKeys.events)) === 0;
      await eventually(allCounted);
      const before = await counted();
      stack!.upstream.behave({ kind: 'answer', text: 'fine', delayMs: 150 });
      const load = startClients(8, () => (kind.movesPosts && odd() ? post('load') : get('load')));
      const stream = await openStream(((await signIn()).headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '');
      await stream.says('event: snapshot');
      for (let index = 0; index < gateways; index++) {
        await load.untilAnswered(20);
        expect(await stack!.gateways[index]?.end('SIGTERM')).toBe(0);
        await stack!.startGateway({ again: index });
      }
      await load.untilAnswered(20);
      const { failures, answered } = await load.stop();
      stream.close();
      expect(failures).toEqual([]);
      await eventually(allCounted);
      expect((await counted()) - before).toBe(answered);
    },
  );

  const signIn = () => ask('/dashboard/session', { method: 'POST', ...json({ token: stack!.secrets.dashboardToken }) });

  function openStream(cookie: string) {
    return tls.send('/dashboard/events', { headers: { cookie } }, async (response) => {
      expect(response.statusCode).toBe(200);
      let text = '';
      let look: () => void = () => undefined;
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        look();
      });
      response.on('error', () => undefined);
      return {
        says: (words: string) =>
          new Promise<void>((resolve) => {
            look = () => {
              if (text.includes(words)) resolve();
            };
            look();
          }),
        close: () => response.destroy(),
      };
    });
  }
});

let turns = 0;
function odd(): boolean {
  turns += 1;
  return turns % 2 === 1;
}
