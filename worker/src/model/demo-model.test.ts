import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { demoModel } from './demo-model.ts';
import { demoSecrets } from './demo-secrets.ts';
import type { ModelRequest } from './language-model.ts';

const PERSONAS = {
  chat: 'You are a chat bot in a messaging app. Answer briefly and conversationally, in the language of the user.',
  page: 'You are a helpful assistant. Answer kindly and clearly, step by step where it helps.',
};

interface Asked {
  readonly system?: string;
  readonly prompt?: string;
  readonly maxOutputTokens?: number;
}

const chat = (system: string, prompt: string): ModelRequest['chat'] => ({
  messages: [
    { role: 'system', content: system },
    { role: 'user', content: prompt },
  ],
  temperature: 0.7,
});

const ask = (
  { system = PERSONAS.page, prompt = 'How do I call an API?', ...more }: Asked = {},
  signal = new AbortController().signal,
) =>
  demoModel().generate(
    {
      requestId: 'req_test',
      model: 'ai-2.5-flash',
      chat: chat(system, prompt),
      maxOutputTokens: 8_192,
      ...more,
    },
    signal,
  );

describe.each(Object.entries(PERSONAS))('as a %s', (_, system) => {
  test.each([
    ['English', 'How do I call an API?', /demo model/],
    ['Indonesian', 'Bagaimana cara memanggil API?', /model demo/],
  ])('it says in %s what it is, and speaks about the prompt', async (_, prompt, says) => {
    const { text, finishReason } = await ask({ system, prompt });
    expect(text).toMatch(says);
    expect(text).toContain(prompt);
    expect(finishReason).toBe('stop');
  });

  test('it holds a made-up secret of every family', async () => {
    const prompt = 'Show me.';
    const { text } = await ask({ system, prompt });
    const { apiUrl, ipv4, apiKey, connection } = demoSecrets(`\n${prompt}`);
    for (const secret of [apiUrl, ipv4, apiKey, connection]) expect(text).toContain(secret);
    expect(text).toMatch(/^```\w+\n[^]*^```$/m);
  });

  test('a cut leaves every secret whole or gone, and never leaves nothing', async () => {
    const secrets = Object.values(demoSecrets('\nWhere?'));
    const whole = await ask({ system, prompt: 'Where?' });
    for (let maxOutputTokens = 1; maxOutputTokens * 4 < whole.text.length + 8; maxOutputTokens += 1) {
      const { text, usage, finishReason } = await ask({ system, prompt: 'Where?', maxOutputTokens });
      expect(text.trim()).not.toBe('');
      expect(whole.text.startsWith(text)).toBe(true);
      expect(usage.output).toBeLessThanOrEqual(maxOutputTokens);
      expect(finishReason).toBe(text === whole.text ? 'stop' : 'length');
      const last = text.split(/\s+/).at(-1) ?? '';
      for (const secret of secrets) {
        const isCut = last.length > 6 && !last.includes(secret) && secret.startsWith(last.replace(/^\W+/, ''));
        expect(isCut).toBe(false);
      }
    }
  });
});

test('the same prompt has the same answer, another one another', async () => {
  expect(await ask()).toEqual(await ask());
  expect((await ask({ prompt: 'A' })).text).not.toBe((await ask({ prompt: 'B' })).text);
});

test('it leaves no word of a prompt cut in two', async () => {
  const secret = ['very', 'long', 'secret', 'x'.repeat(90)].join('_');
  const { text } = await ask({ prompt: `My password is ${secret} and more` });
  expect(text).not.toContain('very_long');
  expect(text).toContain('"My password is …"');
});

test('any prompt and any limit have an answer', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 1, max: 600 }),
      async (prompt, maxOutputTokens) => {
        const { text } = await ask({ prompt, maxOutputTokens });
        expect(text.trim()).not.toBe('');
        expect(text.length).toBeLessThanOrEqual(maxOutputTokens * 4);
      },
    ),
  );
});

test('it honours the signal, before and during its wait', async () => {
  await expect(ask({}, AbortSignal.abort())).rejects.toMatchObject({ kind: 'cancelled' });
  const leaving = new AbortController();
  const request = { requestId: 'r', model: 'm', chat: chat('', 'x'), maxOutputTokens: 9 };
  const answer = demoModel({ latencyMs: 3_600_000 }).generate(request, leaving.signal);
  leaving.abort();
  await expect(answer).rejects.toMatchObject({ kind: 'cancelled' });
});
