import { describe, expect, test } from '@jest/globals';
import { GENERATION_FAILURES, type GenerationFailure } from '@lontar/shared/errors.ts';
import { namesOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import type { RedisTime } from '@lontar/shared/redis-clock.ts';
import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import type { Admission } from '../admission/admit.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import { answerSettlement } from './answer-settlement.ts';
import type { SettledRequest } from './protocol.ts';

const admission: Admission = {
  decision: 'admitted',
  reason: '',
  genuineKey: true,
  now: 1_800_000_000_000,
  address: { used: 1, limit: 100, resetAt: 1_800_003_600 },
  credits: { used: 3, limit: 5 },
  flight: { used: 1, limit: 10 },
  blockedForSeconds: 0,
};

function about(over: Partial<SettledRequest> & { maxOutputTokens?: number; cap?: number } = {}): SettledRequest {
  const { maxOutputTokens = 100, cap, ...rest } = over;
  return {
    context: { id: 'req_x', receivedAt: performance.now() } as RequestContext,
    job: { endpoint: '/api/ai', keyId: 'k', model: 'ai-2.5-flash', maxOutputTokens, receivedAt: 0 as RedisTime },
    admission: { ...admission, ...(cap !== undefined && { maxOutputTokens: cap }) },
    reading: {
      models: { current: namesOfVariables() },
      maxPromptChars: 1_000,
      maxContextChars: 1_000,
      maxOutputTokens: 65_536,
    },
    freeFailuresPerHour: 5,
    ...rest,
  };
}
const answer = (error: GenerationFailure, charged: boolean, over?: Parameters<typeof about>[0]) =>
  answerSettlement({ v: 1, outcome: 'failed', error, charged }, about(over));
const messageOf = ({ body }: ReturnType<typeof answer>) => (body as { message: string }).message;

describe('what the log keeps of an answer', () => {
  const answered = {
    v: 1,
    outcome: 'answered',
    text: 'the caller may see it',
    masked: { url: 0, key: 0, ip: 0, connection: 0 },
    usage: { input: 1, output: 1 },
  } as const;
  const work = { attempts: 1, queuedMs: 1, modelMs: 1, maskMs: 1 };

  test.each([
    ['nothing where the log keeps no text', {}, undefined],
    ['its beginning', { promptPreview: 'p' }, 'the caller may see it'],
    ['what the worker masked fully, where the caller sees more', { promptPreview: 'p', answerPreview: '***' }, '***'],
    ['nothing of it, where it could not be masked fully', { promptPreview: 'p', answerPreview: '' }, ''],
    ['the same without a prompt', { answerPreview: '***' }, '***'],
  ])('is %s', (_what, previews, kept) => {
    const { body, report } = answerSettlement({ ...answered, work: { ...work, ...previews } }, about());
    expect(body).toMatchObject({ result: 'the caller may see it' });
    expect(report.generation?.answerPreview).toBe(kept);
  });
});

test('why the model call failed is reported to the operator, and never told to the caller', () => {
  const cause = {
    reason: 'unauthorized',
    upstreamHost: 'llm.internal:1',
    upstreamMessage: 'Wrong key.',
    advice: 'Set it.',
  };
  const settlement = { v: 1, outcome: 'failed', error: 'upstream_error', charged: false, cause } as const;
  const { report, ...told } = answerSettlement(settlement, about());
  expect(report.generation?.cause).toEqual(cause);
  expect(JSON.stringify(told)).not.toMatch(/unauthorized|llm\.internal|Wrong key|Set it/);
});

test('a failure of the fifth attempt is reported with its attempts and times, and so not as answered without a worker', () => {
  const work = { attempts: 5, queuedMs: 4_100, modelMs: 380, maskMs: 0 };
  const settlement = { v: 1, outcome: 'failed', error: 'upstream_error', charged: false, work } as const;
  expect(answerSettlement(settlement, about()).report.generation).toMatchObject(work);
});

describe('an answer says why it ended, and what was used of it', () => {
  const settlement = {
    v: 1,
    outcome: 'answered',
    text: 'Once upon a',
    masked: { url: 0, key: 1, ip: 0, connection: 0 },
    usage: { input: 7, output: 3 },
    work: { attempts: 1, queuedMs: 1, modelMs: 1, maskMs: 1 },
  } as const;

  test.each([
    [undefined, 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
  ] as const)('%s is %s', (finishReason, told) => {
    const { body, headers, report } = answerSettlement(
      { ...settlement, ...(finishReason && { finishReason }) },
      about(),
    );
    const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
    expect(body).toMatchObject({ metadata: { finish_reason: told, usage } });
    expect(headers).toMatchObject({ 'X-Finish-Reason': told, 'X-Model': 'ai-2.5-flash', 'X-Masked': '1' });
    expect(report.generation).toMatchObject({ finishReason: told, usage: { input: 7, output: 3 } });
  });

  test('with the parts of which the upstream spoke', () => {
    const usage = { input: 7, output: 3, cachedInput: 5, reasoning: 0 };
    expect(answerSettlement({ ...settlement, usage }, about()).body).toMatchObject({
      metadata: {
        usage: { prompt_tokens_details: { cached_tokens: 5 }, completion_tokens_details: { reasoning_tokens: 0 } },
      },
    });
  });

  test('estimated where the upstream did not say', () => {
    const usage = { input: 7, output: 3, isEstimated: true };
    expect(answerSettlement({ ...settlement, usage }, about()).body).toMatchObject({
      metadata: { usage: { total_tokens: 10, is_estimated: true } },
    });
  });
});

test('what was used of an answer that came to no end is reported', () => {
  const usage = { input: 7, output: 2, isEstimated: true };
  const { report } = answerSettlement(
    { v: 1, outcome: 'failed', error: 'client_closed', charged: true, usage },
    about(),
  );
  expect(report.generation?.usage).toEqual(usage);
});

describe('the answer of a failure', () => {
  test.each([
    ['/v1/chat/completions', 'seed', 'seed'],
    ['/v1/chat/completions', 'max_completion_tokens', 'max_completion_tokens'],
    ['/v1/chat/completions', undefined, undefined],
    // The old endpoints have no other field that an upstream sees.
    ['/api/ai', 'max_completion_tokens', 'maxOutputTokens'],
    ['/api/ai', 'seed', undefined],
  ] as const)('under %s names the field %s, which the upstream has refused, as %s', (endpoint, param, named) => {
    const { job, ...rest } = about();
    const settlement = { v: 1, outcome: 'failed', error: 'request_refused', charged: false, ...(param && { param }) };
    const { problem } = answerSettlement(settlement as Settlement, { ...rest, job: { ...job, endpoint } });
    expect(problem?.param).toBe(named);
  });

  const answered = GENERATION_FAILURES.filter((error) => error !== 'client_closed');

  test.each(answered)('%s says whether it was charged, and its headers count it', (error) => {
    expect(messageOf(answer(error, true))).toMatch(/ The request was charged(\.|: .*\.)$/);
    expect(answer(error, true).headers['X-RateLimit-Remaining']).toBe('2');
    expect(answer(error, true).report.generation?.charged).toBe(true);
    if (error === 'output_used_up') return;
    expect(messageOf(answer(error, false))).toMatch(/ The request was not charged\.$/);
    expect(answer(error, false).headers['X-RateLimit-Remaining']).toBe('3');
  });

  test('says why a failure of the model was charged', () => {
    expect(messageOf(answer('timed_out', true))).toContain('has been given back 5 such failures in the last hour');
    expect(messageOf(answer('timed_out', true, { freeFailuresPerHour: 0 }))).toContain('the model had been asked');
  });

  test.each([
    [{ maxOutputTokens: 1 }, 'Ask for more, at least 1024, or leave it out, which asks for 8192.'],
    [{ maxOutputTokens: 8_192 }, 'Ask for more, at least 16384.'],
    [{ maxOutputTokens: 40_000 }, 'Ask for more, at least 65536.'],
    [{ maxOutputTokens: 65_536 }, 'That is the most that may be asked for here'],
    [{ maxOutputTokens: 100, cap: 500 }, 'Ask for more, at least 500, or leave it out, which asks for 500.'],
    [{ maxOutputTokens: 500, cap: 500 }, 'That is the most that may be asked for here'],
  ])('names what to ask for where the output tokens were used up: %j', (over, advice) => {
    const { status, body } = answer('output_used_up', true, over);
    expect({ status, label: (body as { error: string }).error }).toEqual({ status: 400, label: 'Invalid parameter' });
    expect(messageOf(answer('output_used_up', true, over))).toContain(`maxOutputTokens is ${over.maxOutputTokens}, `);
    expect(messageOf(answer('output_used_up', true, over))).toContain(advice);
  });
});
