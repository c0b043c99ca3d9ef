import { describe, expect, test } from '@jest/globals';
import type { ChatMessage } from '@lontar/shared/chat-request.ts';
import type { ChatJob, GenerationJob, JobPolicy } from '@lontar/shared/generation-job.ts';
import { answerPolicyOf, MOST_OWN_TEXT, MOST_OWN_VALUES } from './answer-policy.ts';
import { createMasker } from './masking/mask.ts';

const masker = createMasker();
const TOKEN = ['gho', 'A1b2C3d4E5'.repeat(4)].join('_');
const user = (content: string): ChatMessage => ({ role: 'user', content });
const chatJob = (policy: JobPolicy | undefined, ...messages: readonly ChatMessage[]): GenerationJob =>
  ({ v: 2, endpoint: '/v1/chat/completions', chat: { messages }, ...(policy && { policy }) }) as unknown as ChatJob;

async function masked(job: GenerationJob, answer: string): Promise<string> {
  return (await answerPolicyOf(masker, job)).masker.mask(answer).text;
}

describe('how an answer is masked', () => {
  const answer = `${TOKEN} at 10.1.2.3`;
  const everything = '***API_KEY*** at ***IP_ADDRESS***';

  test.each([
    ['without a policy', undefined],
    ['where only a caller who leaves is spoken of', { onDisconnect: 'finish' }],
    ['where nothing is kept', { keepOwn: false }],
  ] as const)('wholly %s, by the masker as it is', async (_what, policy) => {
    expect(await answerPolicyOf(masker, chatJob(policy, user(TOKEN)))).toEqual({ masker, showsMore: false });
  });

  test('by the types that the key names', async () => {
    const job = chatJob({ mask: ['ip', 'url'] }, user('hi'));
    expect(await masked(job, answer)).toBe(`${TOKEN} at ***IP_ADDRESS***`);
    expect(await answerPolicyOf(masker, job)).toMatchObject({ showsMore: true });
  });

  test('wholly for an endpoint with a persona, whatever the key says', async () => {
    const policy: JobPolicy = { mask: ['url'], keepOwn: true };
    const job = { v: 1, endpoint: '/api/ai', prompt: answer, policy } as GenerationJob;
    expect(await answerPolicyOf(masker, job)).toEqual({ masker, showsMore: false });
    expect(await masked(job, answer)).toBe(everything);
  });
});

describe("the caller's own values", () => {
  const keepOwn = { keepOwn: true };
  const call = { id: 'c', name: 'run', arguments: `{"host":"10.1.2.3"}` };

  test.each([
    ['a message of the caller', [user(`Use ${TOKEN} on 10.1.2.3.`)]],
    ['a part of one', [{ role: 'user', content: [{ type: 'text', text: `${TOKEN} 10.1.2.3` }] }]],
    [
      'any role',
      [
        { role: 'system', content: TOKEN },
        { role: 'tool', toolCallId: 'c', content: 'from 10.1.2.3' },
      ],
    ],
    ['a call that the model made', [user(TOKEN), { role: 'assistant', content: '', toolCalls: [call] }]],
  ] as [string, ChatMessage[]][])('of %s stay, and all others are masked', async (_what, messages) => {
    const text = `${TOKEN} at 10.1.2.3, not 10.1.2.4`;
    expect(await masked(chatJob(keepOwn, ...messages), text)).toBe(`${TOKEN} at 10.1.2.3, not ***IP_ADDRESS***`);
  });

  test('are not what an image is named, and not a part of what was sent', async () => {
    const image: ChatMessage = { role: 'user', content: [{ type: 'image', url: 'http://10.1.2.3/x.png' }] };
    expect(await masked(chatJob(keepOwn, image), '10.1.2.3')).toBe('***IP_ADDRESS***');
    expect(await masked(chatJob(keepOwn, user(`${TOKEN}F6`)), TOKEN)).toBe('***API_KEY***');
  });

  test('stay where the key names types as well', async () => {
    const job = chatJob({ mask: ['ip'], keepOwn: true }, user('from 10.1.2.3'));
    expect(await masked(job, `${TOKEN} 10.1.2.3 10.1.2.4`)).toBe(`${TOKEN} 10.1.2.3 ***IP_ADDRESS***`);
  });

  test(`are the last ${MOST_OWN_VALUES} at most, of the last ${MOST_OWN_TEXT} characters`, async () => {
    const addresses = Array.from({ length: MOST_OWN_VALUES + 1 }, (_, number) => `10.9.${number >> 8}.${number & 255}`);
    const job = chatJob(keepOwn, ...addresses.map((address) => user(`ping ${address}`)));
    expect(await masked(job, 'ping 10.9.0.0, ping 10.9.0.1')).toBe('ping ***IP_ADDRESS***, ping 10.9.0.1');
    const long = chatJob(keepOwn, user('ping 10.9.0.1'), user('word '.repeat(MOST_OWN_TEXT / 5)));
    expect(await masked(long, 'ping 10.9.0.1')).toBe('ping ***IP_ADDRESS***');
  });

  test('are found while others have their turn', async () => {
    let turns = 0;
    let isFinding = true;
    const others = (async () => {
      for (; isFinding; turns++) await new Promise((resolve) => setImmediate(resolve));
    })();
    await answerPolicyOf(masker, chatJob(keepOwn, user('word '.repeat(40_000))));
    isFinding = false;
    await others;
    expect(turns).toBeGreaterThan(10);
  });

  test('are none where looking for them takes too much work', async () => {
    let text = `${TOKEN} `;
    for (let number = 0; text.length < 60_000; number++) text += `secret=${'abc'.charAt(number % 3)}${number}/`;
    expect(await masked(chatJob(keepOwn, user(text)), TOKEN)).toBe('***API_KEY***');
  });
});
