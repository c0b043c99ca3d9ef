import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { takeJob } from '../../testing/played-worker.ts';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';

const LONG = 'leaves of palm '.repeat(10_000);
const WHOLE = `${LONG}end`;

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test('an answer that is long is given from anywhere, while it grows and when it is settled', async () => {
  const headers = { Authorization: `Bearer ${(await gateway.createKey({ credits: '9', concurrency: '9' })).key}` };
  const first = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'ai-2.5-pro', stream: true, messages: [{ role: 'user', content: 'x' }] }),
  }).then(textOf);
  const played = await takeJob(gateway.redis.client);
  const name = played.job.id.replace('req_', 'chatcmpl-');
  const from = (offset: number) =>
    fetch(`${gateway.url}/v1/chat/completions/${name}?stream=true&starting_after=${offset}`, { headers });
  await played.frames(['text', 0, LONG.slice(0, 9)]);
  await played.partial('text', LONG);
  const growing = [0, 100_000].map((offset) => from(offset).then(textOf));
  const followers = redisKeys.followers(played.job.id);
  while ((await gateway.redis.client.scard(followers)) === 0) await new Promise(setImmediate);
  await played.settle({ text: WHOLE }, { texts: false });
  const settled = [0, 149_999, WHOLE.length].map((offset) => from(offset).then(textOf));
  expect(areEqual(await Promise.all([first, ...growing]), [WHOLE, WHOLE, WHOLE.slice(100_000)])).toBe(true);
  expect(areEqual(await Promise.all(settled), [WHOLE, WHOLE.slice(149_999), ''])).toBe(true);
  expect((await from(WHOLE.length + 1)).status).toBe(400);
});

test('an answer of which the reply has only the length is given in one piece all the same, long or short', async () => {
  const headers = { Authorization: `Bearer ${(await gateway.createKey({ credits: '9', concurrency: '9' })).key}` };
  for (const text of [WHOLE, 'short']) {
    const first = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'ai-2.5-pro', stream: true, messages: [{ role: 'user', content: 'x' }] }),
    }).then(textOf);
    const played = await takeJob(gateway.redis.client);
    // By the gateway that streams it, too.
    const url = `${gateway.url}/v1/chat/completions/${played.job.id.replace('req_', 'chatcmpl-')}`;
    const inOnePiece = async () => {
      const { choices } = (await (await fetch(url, { headers })).json()) as { choices: [{ message: Content }] };
      return choices[0].message.content;
    };
    const before = await openResumes();
    const waiting = inOnePiece();
    while ((await openResumes()) === before) await new Promise(setImmediate);
    await played.settle({ text }, { texts: false });
    expect(areEqual(await Promise.all([first, waiting]), [text, text])).toBe(true);
    // Long ones share the bytes of their text.
    expect(areEqual(await Promise.all([inOnePiece(), inOnePiece()]), [text, text])).toBe(true);
  }
});

/** How often an answer was asked for again that was not settled. */
async function openResumes(): Promise<string | undefined> {
  const metrics = await (await fetch(gateway.metricsUrl)).text();
  return /^gateway_resumes_total\{.*state="open".*$/m.exec(metrics)?.[0];
}

interface Content {
  readonly content: string;
}

/** Without printing them where they are not. */
function areEqual(texts: readonly string[], wanted: readonly string[]): boolean {
  return JSON.stringify(texts) === JSON.stringify(wanted);
}

/** Of a stream that ends as it should. */
async function textOf(response: Response): Promise<string> {
  const raw = await response.text();
  expect(raw.endsWith('data: [DONE]\n\n')).toBe(true);
  const chunks = [...raw.matchAll(/^data: (\{.*)$/gm)].map(
    ([, json = '']) => JSON.parse(json) as { choices: [{ delta: { content?: string } }] },
  );
  return chunks.map(({ choices: [{ delta }] }) => delta.content ?? '').join('');
}
