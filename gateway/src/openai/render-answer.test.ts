import { describe, expect, test } from '@jest/globals';
import { ERROR_CATALOG, ERROR_CODES } from '@lontar/shared/errors.ts';
import { refuse } from '../envelope/answer.ts';
import { renderAnswer } from './render-answer.ts';
import { renderError } from './render-error.ts';

const NOW = 1_800_000_000_000;
const about = { now: NOW, mostOutputTokens: 1_000, headerOf: () => undefined };
const LIMITS = { 'X-RateLimit-Limit': '100', 'X-RateLimit-Remaining': '7', 'X-RateLimit-Reset': '1800000360' };

describe('an error', () => {
  test.each(ERROR_CODES)('%s of the catalog has the four fields, and a status of its class', (code) => {
    const { status, body } = renderError({ code, message: 'Why.' });
    expect(Object.keys(body.error)).toEqual(['message', 'type', 'param', 'code']);
    expect(body.error.message).toMatch(/Why\.$/);
    // 422 and 400 are the same to clients; what is missing here is the key; OpenAI knows no model that is not there for one key.
    const known = ERROR_CATALOG[code].status;
    expect(status).toBe(
      { missing_parameters: 401, content_blocked: 400, model_not_allowed: 404 }[code as string] ?? known,
    );
  });

  test.each([
    [{ code: 'invalid_api_key' }, 401, /^Incorrect API key provided\. /, 'invalid_api_key', null],
    [
      { code: 'context_exceeded' },
      400,
      /^Input tokens exceed the configured limit\. .*exceeds the context window.*reduce the length of the messages/,
      'context_length_exceeded',
      'messages',
    ],
    [{ code: 'content_blocked' }, 400, /./, 'content_filter', 'messages'],
    [{ code: 'model_not_allowed', param: 'model' }, 404, /./, 'model_not_found', 'model'],
    [{ code: 'key_not_active' }, 403, /./, 'key_not_active', null],
    [{ code: 'invalid_parameter', param: 'messages[2].role' }, 400, /./, 'invalid_value', 'messages[2].role'],
    [{ code: 'invalid_parameter', param: 'n', fault: 'unsupported' }, 400, /./, 'unsupported_parameter', 'n'],
    [{ code: 'invalid_parameter', param: 'model', fault: 'missing' }, 400, /./, 'missing_required_parameter', 'model'],
  ] as const)('%j is told as clients know it', (problem, status, words, code, param) => {
    const rendered = renderError({ message: 'Why.', ...problem });
    expect(rendered.status).toBe(status);
    expect(rendered.body.error).toMatchObject({ type: 'invalid_request_error', code, param });
    expect(rendered.body.error.message).toMatch(words);
  });

  test.each([
    ['too_many_requests', 'requests', 'rate_limit_exceeded'],
    ['internal_error', 'server_error', 'internal_error'],
    ['service_unavailable', 'service_unavailable_error', 'server_is_overloaded'],
    ['timed_out', 'timeout', 'timeout'],
  ] as const)('%s has its type', (code, type, said) => {
    expect(renderError({ code, message: 'Why.' }).body.error).toMatchObject({ type, code: said });
  });
});

describe('when to try again', () => {
  const limited = (retryAfter: string, cause?: 'credits') =>
    renderAnswer(refuse('too_many_requests', { headers: { ...LIMITS, 'Retry-After': retryAfter }, cause }), about);

  test('is told where it is soon', () => {
    const { status, headers } = limited('60');
    expect([status, headers['Retry-After'], headers['x-should-retry']]).toEqual([429, '60', undefined]);
  });

  test('is told where it is late, and that trying at once is of no use', () => {
    const { status, headers } = limited('61');
    expect([status, headers['Retry-After'], headers['x-should-retry']]).toEqual([429, '61', 'false']);
  });

  test('is not told of credits, which no waiting brings', () => {
    const { status, headers, body } = limited('3600', 'credits');
    expect([status, headers]).toEqual([402, { 'x-should-retry': 'false' }]);
    expect(body).toMatchObject({ error: { type: 'insufficient_quota', code: 'insufficient_quota' } });
  });
});

describe('the limits', () => {
  const withReset = (resetAt: number, now = NOW) =>
    renderAnswer(refuse('not_found', { headers: { ...LIMITS, 'X-RateLimit-Reset': String(resetAt) } }), {
      ...about,
      now,
    }).headers;

  test("have OpenAI's names beside ours", () => {
    expect(renderAnswer(refuse('not_found', { headers: LIMITS }), about).headers).toEqual({
      ...LIMITS,
      'x-ratelimit-limit-requests': '100',
      'x-ratelimit-remaining-requests': '7',
      'x-ratelimit-reset-requests': '6m0s',
      'x-ratelimit-limit-tokens': '100000',
      'x-ratelimit-remaining-tokens': '7000',
      'x-ratelimit-reset-tokens': '6m0s',
    });
  });

  test('may stand in the response already', () => {
    const given: Record<string, string> = LIMITS;
    const { headers } = renderAnswer(refuse('not_found'), { ...about, headerOf: (name) => given[name] });
    expect(headers).toMatchObject({ 'x-ratelimit-remaining-requests': '7' });
    expect(renderAnswer(refuse('not_found'), about).headers).toEqual({});
  });

  test.each([
    [NOW / 1_000, NOW - 12, '12ms'],
    [NOW / 1_000, NOW + 5, '0ms'],
    [NOW / 1_000 + 1, NOW, '1s'],
    [NOW / 1_000 + 59, NOW + 500, '59s'],
    [NOW / 1_000 + 60, NOW, '1m0s'],
    [NOW / 1_000 + 3_600, NOW, '1h0m0s'],
    [NOW / 1_000 + 86_399, NOW, '23h59m59s'],
  ])('are reset at %d: at %d in %s', (resetAt, now, expected) => {
    expect(withReset(resetAt, now)['x-ratelimit-reset-requests']).toBe(expected);
  });
});
