import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

/** What the statistics, and so the row of the log, are told of a request. */
async function eventOf(requestId: string): Promise<Record<string, unknown>> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const entries = await gateway.redis.client.xrange(redisKeys.events, '-', '+');
    const events = entries.map(([, fields]) => JSON.parse(fields[1] ?? '{}') as Record<string, unknown>);
    const found = events.find(({ id }) => id === requestId);
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`no event of ${requestId}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test.each([
  ['credits that are spent', { credits: '0' }, {}, 429, /credits/i],
  ['a model that is not allowed', { models: 'ai-2.5-flash' }, { model: 'ai-2.5-pro' }, 403, /may not use/],
  ['a key that was revoked', { state: 'revoked' }, {}, 403, /revoked/],
  ['a prompt that is missing', {}, { prompt: ' ' }, 400, /prompt/],
] as const)('the event of %s has the very message that the caller got', async (_, fields, more, status, words) => {
  const { key } = await gateway.createKey({ name: 'shop of Ann', ...fields });
  const answer = await fetch(`${gateway.url}/api/ai`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ prompt: 'Hello', ...more }),
  });
  const body = await answer.text();
  const { message } = JSON.parse(body) as { message: string };
  expect([answer.status, message]).toEqual([status, expect.stringMatching(words)]);
  expect(await eventOf(answer.headers.get('x-request-id') ?? '')).toMatchObject({ status, message });
  // The name of a key is its operator's, and no caller's.
  expect(body + JSON.stringify([...answer.headers])).not.toContain('Ann');
});
