import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { FakeBehaviour, FakeCall } from '@lontar/shared/testing/fake-behaviour.ts';
import { UPSTREAM_CANARY } from '@lontar/shared/testing/fake-upstream.ts';
import { ask, expectSuccess, type Reply } from './harness/client.ts';
import { eventually } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

const fine = { kind: 'answer', text: 'It works again.' } as const;

const PROTOCOLS = ['openai', 'gemini'] as const;
const WITH_RETRY_AFTER = 'answers 429 with Retry-After';
const ONCE: readonly (readonly [string, FakeBehaviour])[] = [
  ['answers 500', { kind: 'status', status: 500 }],
  ['answers 503', { kind: 'status', status: 503 }],
  [WITH_RETRY_AFTER, { kind: 'status', status: 429, headers: { 'retry-after': '1' } }],
  ['resets the connection', 'reset'],
  ['hangs', 'hang'],
  ['drips', 'drip'],
];
const FOR_GOOD: readonly (readonly [string, FakeBehaviour, readonly number[]])[] = [
  ['answers 500', { kind: 'status', status: 500 }, [502, 504]],
  [
    'answers 429 for longer than the deadline',
    { kind: 'status', status: 429, headers: { 'retry-after': '60' } },
    [502],
  ],
  ['hangs', 'hang', [504]],
];

/** A request whose prompt says how the upstream behaves. */
interface Run {
  readonly key: string;
  readonly reply: Reply;
  readonly calls: readonly FakeCall[];
}

const stacks = new Map<string, Stack>();
const runs = new Map<string, ReadonlyMap<string, Run>>();

// All failures that are waited for at once, each with a prompt of its own.
beforeAll(async () => {
  await Promise.all(
    PROTOCOLS.map(async (protocol) => {
      const stack = await startStack({ protocol, settings: { MODEL_TIMEOUT_MS: '2000', REQUEST_TIMEOUT_MS: '20000' } });
      stacks.set(protocol, stack);
      runs.set(protocol, await runAll(stack));
    }),
  );
});
afterAll(async () => {
  await Promise.all([...stacks.values()].map((stack) => stack.stop()));
});

async function runAll({ upstream, url, createKey }: Stack): Promise<ReadonlyMap<string, Run>> {
  const once = new Map(ONCE);
  const forGood = new Map(FOR_GOOD.map(([what, behaviour]) => [`${what} for good`, behaviour]));
  upstream.behave(({ prompt }) => {
    const first = once.get(prompt);
    once.delete(prompt);
    return forGood.get(prompt) ?? first ?? fine;
  });
  const { key } = await createKey();
  const asked = [
    ...[...once.keys()].map((prompt) => ({ prompt, key })),
    ...(await Promise.all(
      [...forGood.keys()].map(async (prompt) => ({ prompt, key: (await createKey('--credits', '1')).key })),
    )),
  ];
  const answered = asked.map(async ({ prompt, key }) => {
    const reply = await ask(url, '/api/ai', { query: { prompt }, headers: { 'x-api-key': key } });
    return [prompt, { key, reply, calls: upstream.calls.filter((call) => call.prompt === prompt) }] as const;
  });
  return new Map(await Promise.all(answered));
}

describe.each(PROTOCOLS)('an upstream that speaks %s and', (protocol) => {
  let stack: Stack;
  let key: string;
  const ran = () => runs.get(protocol) ?? new Map<string, Run>();

  beforeAll(async () => {
    stack = stacks.get(protocol) as Stack;
    ({ key } = await stack.createKey());
  });
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

  describe('that fails once', () => {
    test.each(ONCE)('%s: it is asked again within the deadline', (what) => {
      const { reply, calls } = ran().get(what) as Run;
      expect(expectSuccess(reply)).toBe(fine.text);
      expect(calls).toHaveLength(2);
    });

    test('has its Retry-After honoured', () => {
      const [first, second] = ran().get(WITH_RETRY_AFTER)?.calls ?? [];
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    });
  });

  test.each(FOR_GOOD)(
    '%s for good: an error, nothing of the upstream, and the credit back',
    async (what, _behaviour, statuses) => {
      const { reply, key: paid } = ran().get(`${what} for good`) as Run;
      expect(statuses).toContain(reply.status);
      expectNothingOfTheUpstream(reply.text);
      expectSuccess(await ask(stack.url, '/api/ai', { query: { prompt: 'hi' }, headers: { 'x-api-key': paid } }));
    },
  );

  test('tells the operator why, by `lontar doctor`, as long as it fails', async () => {
    const model = async () => {
      // It ends with 1, since statistics do not run here.
      const { stdout } = await stack.lontar('doctor', '--json').catch((error: { stdout: string }) => error);
      const { checks } = JSON.parse(stdout) as { checks: { check: string; status: string; detail: string }[] };
      return checks.find(({ check }) => check === 'model');
    };
    // Until then it may tell of the failures before.
    const finds = (status: string, word = '') =>
      eventually(async () => {
        const found = await model();
        return found?.status === status && found.detail.includes(word);
      });
    stack.upstream.behave({ kind: 'status', status: 401 });
    await generate();
    await finds('failed', 'HTTP 401');
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
