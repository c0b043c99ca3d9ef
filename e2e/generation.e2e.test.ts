import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mintApiKey } from '@lontar/shared/api-key.ts';
import { ask, askRaw, expectErrorForm, expectSuccess } from './harness/client.ts';
import { type Stack, startStack } from './harness/stack.ts';

let stack: Stack;
let key: string;

beforeAll(async () => {
  stack = await startStack({
    settings: { MODEL_MAP: '{"ai-2.5-flash":"upstream-small","ai-2.5-pro":"upstream-large"}', BAN_AFTER_BAD_KEYS: '0' },
  });
  ({ key } = await stack.createKey());
}, 60_000);
afterAll(() => stack.stop());
beforeEach(() => {
  stack.upstream.reset();
  stack.upstream.behave({ kind: 'answer', text: 'Halo! **Here** is an answer.' });
});

const generate = (options: Parameters<typeof ask>[2] = {}, path = '/api/ai') => ask(stack.url, path, options);
const withKey = (query: Record<string, string | string[]>) => generate({ query: { apikey: key, ...query } });

describe('a generation', () => {
  test.each([
    ['query', () => generate({ query: { apikey: key, prompt: 'hi' } })],
    ['Bearer', () => generate({ query: { prompt: 'hi' }, headers: { authorization: `Bearer ${key}` } })],
    ['X-API-Key', () => generate({ query: { prompt: 'hi' }, headers: { 'x-api-key': key } })],
    ['JSON body', () => generate({ method: 'POST', body: { apikey: key, prompt: 'hi' } })],
    ['JSON body and header', () => generate({ method: 'POST', body: { prompt: 'hi' }, headers: { 'x-api-key': key } })],
  ])('takes the key by %s', async (_way, send) => {
    expect(expectSuccess(await send())).toBe('Halo! **Here** is an answer.');
  });

  test('reaches the upstream with persona, mapped model and parameters', async () => {
    const systems = new Set<string | undefined>();
    for (const path of ['/api/ai', '/api/ai2', '/api/ai3']) {
      const query = {
        apikey: key,
        prompt: 'Apa kabar?',
        model: 'ai-2.5-pro',
        temperature: '1.5',
        maxOutputTokens: '77',
      };
      expectSuccess(await generate({ query }, path));
      const call = await stack.upstream.nextCall();
      expect(call).toMatchObject({ prompt: 'Apa kabar?', model: 'upstream-large' });
      expect(call.body).toMatchObject({ temperature: 1.5, max_tokens: 77 });
      expect(call.headers['authorization']).toBe(`Bearer ${stack.secrets.upstreamKey}`);
      systems.add(call.system);
    }
    expect(systems.size).toBe(3);
  });

  test('fills in the documented defaults', async () => {
    expectSuccess(await withKey({ prompt: 'hi', unknown: 'ignored' }));
    const call = await stack.upstream.nextCall();
    expect(call.model).toBe('upstream-small');
    expect(call.body).toMatchObject({ temperature: 0.7, max_tokens: 8192 });
  });

  test('carries a prompt of 32,000 characters by POST, astral ones included', async () => {
    const prompt = '🌴'.repeat(32_000);
    expectSuccess(await generate({ method: 'POST', body: { apikey: key, prompt } }));
    expect((await stack.upstream.nextCall()).prompt).toBe(prompt);
  });

  test('masks the answer and says so', async () => {
    stack.upstream.behave({ kind: 'answer', text: 'The server is 203.0.113.77, call it.' });
    const reply = await withKey({ prompt: 'where' });
    expect(expectSuccess(reply)).toBe('The server is ***IP_ADDRESS***, call it.');
    expect(reply.headers['x-masked']).toBe('1');
  });

  test('gives each of 100 concurrent callers its own answer', async () => {
    stack.upstream.behave((call) => ({ kind: 'answer', text: `echo ${call.prompt}`, delayMs: 20 }));
    const nonces = Array.from({ length: 100 }, (_, index) => `nonce-${index}-of-a-caller`);
    const replies = await Promise.all(nonces.map((prompt) => withKey({ prompt })));
    expect(replies.map(expectSuccess)).toEqual(nonces.map((nonce) => `echo ${nonce}`));
    expect(new Set(replies.map((reply) => reply.headers['x-request-id'])).size).toBe(100);
  });

  test('carries security headers, and nothing of Express', async () => {
    const { headers } = await withKey({ prompt: 'hi' });
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('x-powered-by');
  });
});

describe('a bad request', () => {
  const long = 'x'.repeat(32_001);
  test.each([
    ['no prompt', { apikey: 'KEY' }, 'Missing required parameters', 'apikey and prompt are required'],
    [
      'a blank prompt',
      { apikey: 'KEY', prompt: ' \n\t' },
      'Missing required parameters',
      'apikey and prompt are required',
    ],
    ['no key', { prompt: 'hi' }, 'Missing required parameters', 'apikey and prompt are required'],
    ['a blank key', { prompt: 'hi', apikey: ' ' }, 'Missing required parameters', 'apikey and prompt are required'],
    [
      'an unknown model',
      { apikey: 'KEY', prompt: 'hi', model: 'gpt-9' },
      'Invalid parameter',
      /model .*ai-2\.5-flash.*"gpt-9"/,
    ],
    ['a repeated prompt', { apikey: 'KEY', prompt: ['a', 'b'] }, 'Invalid parameter', /prompt was given 2 times/],
    ['a repeated key', { apikey: ['KEY', 'KEY'], prompt: 'a' }, 'Invalid parameter', /apikey was given 2 times/],
    [
      'a temperature below',
      { apikey: 'KEY', prompt: 'a', temperature: '0.05' },
      'Invalid parameter',
      /temperature .*0\.1 to 2.*"0\.05"/,
    ],
    ['a temperature above', { apikey: 'KEY', prompt: 'a', temperature: '2.1' }, 'Invalid parameter', /temperature/],
    [
      'a temperature in words',
      { apikey: 'KEY', prompt: 'a', temperature: 'hot' },
      'Invalid parameter',
      /temperature.*"hot"/,
    ],
    ['an empty temperature', { apikey: 'KEY', prompt: 'a', temperature: '' }, 'Invalid parameter', /temperature/],
    [
      'no tokens',
      { apikey: 'KEY', prompt: 'a', maxOutputTokens: '0' },
      'Invalid parameter',
      /maxOutputTokens .*1 to 65536.*"0"/,
    ],
    [
      'too many tokens',
      { apikey: 'KEY', prompt: 'a', maxOutputTokens: '65537' },
      'Invalid parameter',
      /maxOutputTokens/,
    ],
    ['half a token', { apikey: 'KEY', prompt: 'a', maxOutputTokens: '1.5' }, 'Invalid parameter', /whole number/],
    ['hexadecimal tokens', { apikey: 'KEY', prompt: 'a', maxOutputTokens: '0x10' }, 'Invalid parameter', /"0x10"/],
    ['a NUL', { apikey: 'KEY', prompt: 'a\0b' }, 'Invalid parameter', /NUL/],
  ] as [string, Record<string, string | string[]>, string, string | RegExp][])(
    'with %s gets 400 by GET and by POST, and calls no model',
    async (_what, fields, label, message) => {
      const filled = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [
          name,
          [value].flat().map((item) => (item === 'KEY' ? key : item)),
        ]),
      );
      const replies = [await generate({ query: filled })];
      if (Object.values(filled).every((values) => values.length === 1)) {
        const body = Object.fromEntries(Object.entries(filled).map(([name, values]) => [name, values[0] ?? '']));
        replies.push(await generate({ method: 'POST', body }));
      }
      for (const reply of replies) {
        expect(reply).toMatchObject({ status: 400, body: { error: label } });
        if (typeof message === 'string') expect(reply.body['message']).toBe(message);
        else expect(reply.body['message']).toMatch(message);
      }
      expect(stack.upstream.calls).toHaveLength(0);
    },
  );

  test.each([
    ['a prompt one character too long', { prompt: long }, 400, /at most 32000 characters; 32001/],
    ['a lone surrogate', '{"apikey":"KEY","prompt":"a\\ud800b"}', 400, /surrogate/],
    ['a prompt that is a number', { prompt: 5 }, 400, /prompt must be text/],
    ['a temperature of the wrong type', { prompt: 'a', temperature: true }, 400, /temperature/],
    ['malformed JSON', '{"prompt":', 400, /not valid JSON/],
    ['an array', '[1]', 400, /JSON object/],
    ['no body', '', 400, /apikey and prompt are required/],
    ['a body of 1 MB', { prompt: 'x'.repeat(1_000_000) }, 413, /too large/],
  ] as [string, string | Record<string, unknown>, number, RegExp][])(
    'by POST with %s',
    async (_what, fields, status, message) => {
      const body = typeof fields === 'string' ? fields.replace('KEY', key) : { apikey: key, ...fields };
      const reply = await generate({ method: 'POST', body, headers: { 'content-type': 'application/json' } });
      expect({ status: reply.status, message: reply.body['message'] }).toEqual({
        status,
        message: expect.stringMatching(message),
      });
      expect(stack.upstream.calls).toHaveLength(0);
    },
  );

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])(
    'by POST as %s gets 415',
    async (type) => {
      const reply = await generate({ method: 'POST', body: '{}', headers: { 'content-type': type } });
      expect(reply).toMatchObject({ status: 415, body: { error: 'Unsupported Media Type' } });
    },
  );

  test.each(['HEAD', 'PUT', 'DELETE', 'PATCH'])('by %s gets 405 with Allow', async (method) => {
    const reply = await generate({ method, query: { apikey: key, prompt: 'hi' } });
    expect(reply.status).toBe(405);
    expect(reply.headers['allow']).toMatch(/GET, POST/);
    expect(stack.upstream.calls).toHaveLength(0);
  });

  test.each(['/api/ai4', '/api/', '/api/ai/', '/API/AI', '/nothing', '/api/ai/../../etc/passwd'])(
    'to the unknown path %s gets 404',
    async (path) => {
      const reply = await askRaw(stack.url, path);
      expect(reply.status).toBe(404);
      expectErrorForm(404, reply.body);
    },
  );

  test('with a URL of 40 KB gets 431 and the pointer to POST', async () => {
    const reply = await askRaw(stack.url, `/api/ai?apikey=${key}&prompt=${'x'.repeat(40_000)}`);
    expect(reply).toMatchObject({ status: 431, body: { message: expect.stringContaining('POST') } });
    expectErrorForm(431, reply.body);
  });

  test('with a broken percent sequence in the path gets an error of the documented form', async () => {
    const reply = await askRaw(stack.url, '/api/%ff');
    expect([400, 404]).toContain(reply.status);
    expectErrorForm(reply.status, reply.body);
  });
});

describe('a key', () => {
  test('that is unknown gets 401', async () => {
    const reply = await generate({ query: { apikey: mintApiKey().key, prompt: 'hi' } });
    expect(reply).toMatchObject({ status: 401, body: { error: 'Invalid API key' } });
  });

  test('that is malformed or mistyped gets 401', async () => {
    const mistyped = key.slice(0, 20) + (key[20] === 'a' ? 'b' : 'a') + key.slice(21);
    for (const apikey of ['nonsense', mistyped, `${key}x`, 'lt_live_']) {
      expect(await generate({ query: { apikey, prompt: 'hi' } })).toMatchObject({ status: 401 });
    }
    expect(stack.upstream.calls).toHaveLength(0);
  });

  test('that is revoked gets 403 from the next request on', async () => {
    const revoked = await stack.createKey();
    expectSuccess(await generate({ query: { apikey: revoked.key, prompt: 'hi' } }));
    await stack.lontar('keys', 'revoke', revoked.id);
    const reply = await generate({ query: { apikey: revoked.key, prompt: 'hi' } });
    expect(reply).toMatchObject({ status: 403, body: { error: 'API key not active' } });
  });

  test('may be limited to a model and an address', async () => {
    const flash = await stack.createKey('--models', 'ai-2.5-flash');
    const query = { apikey: flash.key, prompt: 'hi' };
    expectSuccess(await generate({ query }));
    expect(await generate({ query: { ...query, model: 'ai-2.5-pro' } })).toMatchObject({ status: 403 });
    const elsewhere = await stack.createKey('--addresses', '198.51.100.0/24');
    expect(await generate({ query: { apikey: elsewhere.key, prompt: 'hi' } })).toMatchObject({ status: 403 });
    const here = await stack.createKey('--addresses', '198.51.100.0/24,127.0.0.0/8');
    expectSuccess(await generate({ query: { apikey: here.key, prompt: 'hi' } }));
  });

  test('pays one credit for an answer, and none for a failure of ours', async () => {
    const paid = await stack.createKey('--credits', '2');
    const query = { apikey: paid.key, prompt: 'hi' };
    expect((await generate({ query })).headers['x-ratelimit-remaining']).toBe('1');
    stack.upstream.behave({ kind: 'status', status: 400 });
    expect(await generate({ query })).toMatchObject({ status: 502, body: { error: 'Upstream error' } });
    stack.upstream.behave({ kind: 'answer', text: 'fine' });
    expect((await generate({ query })).headers['x-ratelimit-remaining']).toBe('0');
    const refused = await generate({ query });
    expect(refused).toMatchObject({ status: 429, body: { used: 2, remaining: 0, limit: 2 } });
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  });
});
