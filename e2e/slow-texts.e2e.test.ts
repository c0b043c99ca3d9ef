import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ask, expectSuccess } from './harness/client.ts';
import { dumpRedis } from './harness/redis-dump.ts';
import { type Stack, startStack } from './harness/stack.ts';

/** What other callers may wait for while any text is being masked, ms: two seconds; a busy machine gets ten times that. */
const OTHERS_WAIT_MS = 20_000;
const NEVER_PAID_FOR = 'pepper-of-the-slow-text';

let stack: Stack;
let key: string;

beforeAll(async () => {
  stack = await startStack({ settings: { MAX_PROMPT_CHARS: '1000000' } });
  ({ key } = await stack.createKey());
});
afterAll(() => stack.stop());

const prompt = (text: string) => ask(stack.url, '/api/ai', { method: 'POST', body: { apikey: key, prompt: text } });
const answer = (text: string) => stack.upstream.behave({ kind: 'answer', text });

/** Names a secret every few characters, each with a value of hundreds of characters, no two of them the same. */
function unpaidText(length: number): string {
  const parts: string[] = [];
  for (let size = 0, number = 0; size < length; number++) {
    const part = `secret=${NEVER_PAID_FOR.charAt(number % 23)}${number}/`;
    parts.push(part);
    size += part.length;
  }
  return `${NEVER_PAID_FOR} ${parts.join('')}`;
}

async function timed<T>(work: Promise<T>): Promise<{ readonly took: number; readonly result: T }> {
  const startedAt = performance.now();
  const result = await work;
  return { took: performance.now() - startedAt, result };
}

describe('a text made to be slow to mask', () => {
  test.each([48, 97, 15_000])('in a prompt, %i times over: its caller gets an answer as ever', async (repeats) => {
    answer('Noted.');
    const { took, result } = await timed(prompt(`password: ${'a-'.repeat(repeats)}Z9`));
    expect(expectSuccess(result)).toBe('Noted.');
    expect(took).toBeLessThan(OTHERS_WAIT_MS);
  });

  test('in a prompt of a million characters: only its beginning is read', async () => {
    answer('Noted.');
    const { took, result } = await timed(prompt('auth0*'.repeat(166_000)));
    expectSuccess(result);
    expect(took).toBeLessThan(OTHERS_WAIT_MS);
  });

  test('in an answer, where no budget is enough: 500, nothing of it kept or logged, and counted', async () => {
    answer(unpaidText(60_000));
    const { result, took } = await timed(prompt('Tell me.'));
    expect(result.status).toBe(500);
    expect(result.text).toContain('Internal error');
    expect(took).toBeLessThan(OTHERS_WAIT_MS);
    await stack.workers[0]?.logged('masking failed; the answer was refused');
    expect(stack.logs()).toContain('MaskingBudgetExceeded');
    expect(result.text + (await dumpRedis(stack.redis.client)) + stack.logs()).not.toContain(NEVER_PAID_FOR);
    const metrics = await Promise.all((await stack.metricsUrls()).map(async (url) => (await fetch(url)).text()));
    expect(metrics.join('\n')).toMatch(/^masking_operations_total\{result="refused",[^}]*\} 1$/m);
  });

  test.each([
    ['ordinary words', 'The server is at 10.1.2.3 and the password is kopi. '],
    ['the slowest that is still masked', 'auth0*'],
    ['one endless token', 'aB3'],
  ])('in an answer of seven megabytes of %s: others are answered meanwhile', async (_name, unit) => {
    const text = unit.repeat(Math.floor(7_000_000 / unit.length));
    stack.upstream.reset();
    stack.upstream.behave((call) => ({ kind: 'answer', text: call.prompt === 'A long one.' ? text : 'Short.' }));
    const long = prompt('A long one.');
    await stack.upstream.nextCall();
    for (let asked = 0; asked < 8; asked++) {
      const { took, result } = await timed(prompt(`Short one ${asked}.`));
      expect(expectSuccess(result)).toBe('Short.');
      expect(took).toBeLessThan(OTHERS_WAIT_MS);
    }
    expect((await long).status).toBe(200);
  });
});
