import { beforeAll, describe, expect, test } from '@jest/globals';
import { readStream } from '@lontar/shared/testing/event-stream.ts';
import { ask, expectSuccess } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';
import type { GetService } from './service.ts';

/** Pages, statistics, and the dashboard's door. */
export function testOperator(service: GetService): void {
  let key: string;
  beforeAll(async () => {
    ({ key } = await service().createKey());
    service().upstream.behave({ kind: 'answer', text: 'fine' });
  }, 60_000);

  const signIn = (token: string) =>
    fetch(new URL('/dashboard/session', service().url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });

  describe('for all callers', () => {
    test.each(['/api/usage', '/api/stats', '/api/health', '/api/check-limit'])(
      '%s answers without a key',
      async (path) => {
        const reply = await ask(service().url, path);
        expect(reply.status).toBe(200);
        expect((await ask(service().url, path, { method: 'POST' })).status).toBe(405);
      },
    );

    test('health names every part, and all of them are well', async () => {
      const { body } = await ask(service().url, '/api/health');
      expect(body).toMatchObject({
        status: expect.stringMatching(/ok|degraded/),
        redis: { status: 'ok' },
        queue: { status: 'ok', paused: false },
        workers: { status: 'ok', failing: 0 },
        stats: { status: 'ok' },
      });
    });

    test.each([
      ['/', /<script/],
      ['/docs', /\/api\/ai2/],
      ['/docs/quick-start', /curl/],
      ['/llms.txt', /prompt/],
    ])('the page %s is there, and has nothing of other places', async (path, content) => {
      // A build of the page that another test has begun takes it away for a moment.
      await eventually(async () => (await ask(service().url, path)).status === 200);
      const { text, headers } = await ask(service().url, path);
      expect(text).toMatch(content);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    });
  });

  describe('the dashboard', () => {
    test('shows nothing without a session, and opens to the token alone', async () => {
      for (const path of ['/dashboard/events', '/dashboard/log']) {
        expect((await fetch(new URL(path, service().url))).status).toBe(401);
      }
      expect((await signIn('not-the-token-of-the-operator')).status).toBe(401);
      expect((await signIn(service().secrets.dashboardToken)).status).toBe(204);
    });

    test('shows a request as soon as it is answered', async () => {
      const cookie = ((await signIn(service().secrets.dashboardToken)).headers.get('set-cookie') ?? '').split(';')[0];
      const stream = await readStream(`${service().url}/dashboard/events`, { cookie: cookie ?? '' });
      await stream.next('snapshot');
      const reply = await ask(service().url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': key } });
      expectSuccess(reply);
      for (;;) {
        const { data } = await stream.next('log');
        const rows = data['rows'] as readonly { id: string }[];
        if (rows.some(({ id }) => id === reply.headers['x-request-id'])) break;
      }
      stream.close();
    });
  });
}
