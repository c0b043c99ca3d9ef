import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { UPSTREAM_CANARY } from '@lontar/shared/testing/fake-upstream.ts';
import { ask, expectSuccess } from './harness/client.ts';
import { eventually } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

const fine = { kind: 'answer', text: 'It works again.' } as const;

describe.each(['openai', 'gemini'] as const)('an upstream that speaks %s and', (protocol) => {
  let stack: Stack;
  let key: string;

  beforeAll(async () => {
    stack = await startStack({ protocol, settings: { MODEL_TIMEOUT_MS: '1000', REQUEST_TIMEOUT_MS: '5000' } });
    ({ key } = await stack.createKey());
  }, 60_000);
  afterAll(() => stack.stop());
  beforeEach(() => {
    stack.upstream.reset();
    stack.upstream.behave(fine);
  });

  const generate = () => ask(stack.url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': key } });
  const expectNothingOfTheUpstream = (text: string) => {
    expect(text).not.toContain(UPSTREAM_CANARY);
    expect(text).not.toContain(String(stack.upstream.port));
    expect(text).not.toContain(stack.secrets.upstreamKey);
  };

  test.each([
    ['answers 400', { kind: 'status', status: 400 }, 502, 'Upstream error'],
    ['answers 401', { kind: 'status', status: 401 }, 502, 'Upstream error'],
    ['answers 403', { kind: 'status', status: 403 }, 502, 'Upstream error'],
    ['sends garbage', 'garbage', 502, 'Upstream error'],
    ['sends no text', 'empty', 502, 'Upstream error'],
    ['blocks the prompt', 'blocked', 422, 'Content blocked'],
    ['sends 50 MB', 'huge', 502, 'Upstream error'],
  ] as const)('%s: the documented error, after one call', async (_what, behaviour, status, label) => {
    stack.upstream.behave(behaviour);
    const reply = await generate();
    expect(reply).toMatchObject({ status, body: { error: label } });
    expect(stack.upstream.calls).toHaveLength(1);
    expectNothingOfTheUpstream(reply.text + JSON.stringify(reply.headers));
  });

  test.each([
    ['answers 500', { kind: 'status', status: 500 }],
    ['answers 503', { kind: 'status', status: 503 }],
    ['answers 429 with Retry-After', { kind: 'status', status: 429, headers: { 'retry-after': '1' } }],
    ['resets the connection', 'reset'],
    ['hangs', 'hang'],
    ['drips', 'drip'],
  ] as const)('%s, once: it is asked again within the deadline', async (_what, behaviour) => {
    stack.upstream.queue(behaviour);
    const reply = await generate();
    expect(expectSuccess(reply)).toBe(fine.text);
    expect(stack.upstream.calls).toHaveLength(2);
  });

  test('honours Retry-After', async () => {
    stack.upstream.queue({ kind: 'status', status: 429, headers: { 'retry-after': '1' } });
    expectSuccess(await generate());
    const [first, second] = stack.upstream.calls;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  test.each([
    ['answers 500', { kind: 'status', status: 500 }, [502, 504]],
    [
      'answers 429 for longer than the deadline',
      { kind: 'status', status: 429, headers: { 'retry-after': '60' } },
      [502],
    ],
    ['hangs', 'hang', [504]],
  ] as const)(
    '%s for good: an error, nothing of the upstream, and the credit back',
    async (_what, behaviour, statuses) => {
      const paid = await stack.createKey('--credits', '1');
      stack.upstream.behave(behaviour);
      const reply = await ask(stack.url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': paid.key } });
      expect(statuses).toContain(reply.status);
      expectNothingOfTheUpstream(reply.text);
      stack.upstream.behave(fine);
      expectSuccess(await ask(stack.url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': paid.key } }));
    },
  );

  test('tells the operator why, by `lontar doctor`, as long as it fails', async () => {
    const model = async () => {
      // It ends with 1, since statistics do not run here.
      const { stdout } = await stack.lontar('doctor', '--json').catch((error: { stdout: string }) => error);
      const { checks } = JSON.parse(stdout) as { checks: { check: string; status: string; detail: string }[] };
      return checks.find(({ check }) => check === 'model');
    };
    const finds = (status: string) => eventually(async () => (await model())?.status === status, 40_000);
    stack.upstream.behave({ kind: 'status', status: 401 });
    await generate();
    await finds('failed');
    const { detail } = (await model()) ?? { detail: '' };
    expect(detail).toContain('unauthorized');
    expect(detail).toContain(`127.0.0.1:${stack.upstream.port}, HTTP 401`);
    expect(detail).toContain(`set ${protocol.toUpperCase()}_API_KEY`);
    expect(detail).not.toContain(stack.secrets.upstreamKey);
    stack.upstream.behave(fine);
    await generate();
    await finds('ok');
  });

  test('leaves its words in the log of the worker alone, without the key', () => {
    expect(stack.logs()).toContain('a request failed at the model');
    expect(stack.logs()).not.toContain(stack.secrets.upstreamKey);
    const lines = stack.logs().split('\n');
    const withWords = lines.filter((line) => line.includes(UPSTREAM_CANARY));
    const refusals = withWords.filter((line) => line.includes('a call of the upstream failed'));
    expect(withWords).toEqual(refusals);
    expect(withWords.every((line) => line.includes('"service":"worker"'))).toBe(true);
  });
});
