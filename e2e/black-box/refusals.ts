import { describe, expect, test } from '@jest/globals';
import { askRaw, expectErrorForm } from '../harness/client.ts';
import { useKey } from './key-of-tests.ts';
import type { GetService } from './service.ts';

/** What is refused before it costs anything, and in which words. */
export function testRefusals(service: GetService): void {
  const caller = useKey(service);

  const { generate } = caller;

  describe('a bad request', () => {
    const long = 'x'.repeat(32_001);
    test.each([
      ['neither key nor prompt', {}, 'Missing required parameters', 'apikey and prompt are required'],
      ['no prompt', { apikey: 'KEY', q: 'hi' }, 'Missing required parameters', /^prompt is required.*q was given/],
      ['a blank prompt', { apikey: 'KEY', prompt: ' \n\t' }, 'Missing required parameters', /^prompt is required/],
      ['no key', { prompt: 'hi', api_key: 'KEY' }, 'Missing required parameters', /^apikey is required.*api_key was/],
      ['a blank key', { prompt: 'hi', apikey: ' ' }, 'Missing required parameters', /^apikey is required/],
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
            [value].flat().map((item) => (item === 'KEY' ? caller.key : item)),
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
        expect(service().upstream.calls).toHaveLength(0);
      },
    );

    test.each([
      ['a prompt one character too long', { prompt: long }, 400, /at most 32000 characters; 32001/],
      ['a lone surrogate', '{"apikey":"KEY","prompt":"a\\ud800b"}', 400, /surrogate/],
      ['a prompt that is a number', { prompt: 5 }, 400, /prompt must be text/],
      ['a temperature of the wrong type', { prompt: 'a', temperature: true }, 400, /temperature/],
      ['malformed JSON', '{"prompt":', 400, /not valid JSON/],
      ['an array', '[1]', 400, /JSON object/],
      ['no body', '', 400, /^(?:apikey and prompt are|prompt is) required/],
      ['a body of 1 MB', { prompt: 'x'.repeat(1_000_000) }, 413, /too large/],
    ] as [string, string | Record<string, unknown>, number, RegExp][])(
      'by POST with %s',
      async (_what, fields, status, message) => {
        const body = typeof fields === 'string' ? fields.replace('KEY', caller.key) : { apikey: caller.key, ...fields };
        const reply = await generate({ method: 'POST', body, headers: { 'content-type': 'application/json' } });
        expect({ status: reply.status, message: reply.body['message'] }).toEqual({
          status,
          message: expect.stringMatching(message),
        });
        expect(service().upstream.calls).toHaveLength(0);
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
      const reply = await generate({ method, query: { apikey: caller.key, prompt: 'hi' } });
      expect(reply.status).toBe(405);
      expect(reply.headers['allow']).toMatch(/GET, POST/);
      expect(service().upstream.calls).toHaveLength(0);
    });

    test.each(['/api/ai4', '/api/', '/api/ai/', '/API/AI', '/nothing', '/api/ai/../../etc/passwd'])(
      'to the unknown path %s gets 404',
      async (path) => {
        const reply = await askRaw(service().url, path);
        expect(reply.status).toBe(404);
        expectErrorForm(404, reply.body);
      },
    );

    test('with a URL of 40 KB gets 414 and the pointer to POST', async () => {
      const reply = await askRaw(service().url, `/api/ai?apikey=${caller.key}&prompt=${'x'.repeat(40_000)}`);
      expect(reply).toMatchObject({ status: 414, body: { message: expect.stringContaining('POST') } });
      expectErrorForm(414, reply.body);
    });

    test('with a broken percent sequence in the path gets an error of the documented form', async () => {
      const reply = await askRaw(service().url, '/api/%ff');
      expect([400, 404]).toContain(reply.status);
      expectErrorForm(reply.status, reply.body);
    });
  });
}
