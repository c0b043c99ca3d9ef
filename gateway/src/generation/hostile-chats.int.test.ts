import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import { takeJob } from '../../testing/played-worker.ts';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  ({ key } = await gateway.createKey({ credits: '1000', concurrency: '1000' }));
});
afterAll(() => gateway.stop());

const MEGABYTE = 1024 * 1024;
const HELLO = '{"role":"user","content":"hello"}';
const inRequest = (messages: string, more = '') => `{"model":"ai-2.5-pro","messages":[${messages}]${more}}`;
const user = (content: string) => `{"role":"user","content":${content}}`;
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const times = (count: number, text: string) => Array.from({ length: count }, () => text).join(',');

async function send(body: string) {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body,
  });
  const said = (await response.json()) as { error?: { code: string; param: string | null } };
  return { status: response.status, code: said.error?.code, param: said.error?.param };
}

describe('a hostile chat is refused, and no job is made of it:', () => {
  const context = { status: 400, code: 'context_length_exceeded', param: 'messages' };
  test.each<[string, string, object]>([
    ['messages of 4 MB in one text', inRequest(user(`"${'x'.repeat(4 * MEGABYTE - 200)}"`)), context],
    ['messages of 4 MB in thousands of texts', inRequest(times(2_000, user(`"${'x'.repeat(2_000)}"`))), context],
    ['100,000 messages', inRequest(times(100_000, HELLO)), { status: 400, code: 'invalid_value' }],
    ['20,000 messages', inRequest(times(20_000, HELLO)), { status: 400, param: 'messages' }],
    [
      '100,000 parts of one message',
      inRequest(user(`[${times(50_000, '{"type":"text"},{"type":"text"}')}]`)),
      { status: 400 },
    ],
    ['content nested 1,000 deep', inRequest(user(nested(1_000))), { status: 400 }],
    ['content nested a million deep', inRequest(user(nested(1_000_000))), { status: 400 }],
    ['half a character', inRequest(user('"a\\ud800"')), { status: 400 }],
    ['half a character in a part', inRequest(user('[{"type":"text","text":"\\udc00b"}]')), { status: 400 }],
    [
      'half a character in a name',
      inRequest(HELLO, ',"tools":[{"type":"function","function":{"name":"\\ud800"}}]'),
      { status: 400 },
    ],
  ])('%s', async (_, body, expected) => {
    expect(await send(body)).toMatchObject(expected);
    expect(await gateway.redis.client.llen(queueKeys.waiting)).toBe(0);
  });
});

/** Schemas for which a compiler, or code that follows them, takes for ever. */
const EXPLODING: readonly (readonly [string, object])[] = [
  ['of itself, twenty times over', { anyOf: Array.from({ length: 20 }, () => ({ $ref: '#' })) }],
  [
    'whose definitions double forty times',
    {
      $ref: '#/$defs/d0',
      $defs: Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => {
          const next = { $ref: `#/$defs/d${at + 1}` };
          return [`d${at}`, { type: 'object', properties: { a: next, b: next } }];
        }),
      ),
    },
  ],
  ['with a pattern that never ends', { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' }],
  ['with a million items', { type: 'array', minItems: 1_000_000, items: { type: 'array', minItems: 1_000_000 } }],
  [
    'that names a prototype',
    JSON.parse('{"type":"object","properties":{"__proto__":{"constructor":{"$ref":"#"}}}}') as object,
  ],
];

test.each(EXPLODING)('a schema %s goes to the upstream as it is, and is never followed', async (_, schema) => {
  const format = JSON.stringify({ type: 'json_schema', json_schema: { name: 's', schema } });
  const tools = JSON.stringify([{ type: 'function', function: { name: 'f', parameters: schema } }]);
  const answer = send(inRequest(HELLO, `,"response_format":${format},"tools":${tools}`));
  const played = await takeJob(gateway.redis.client);
  const { chat } = played.job as {
    chat?: { tools?: { parameters: unknown }[]; responseFormat?: { schema?: unknown } };
  };
  expect(JSON.stringify(chat?.tools?.[0]?.parameters)).toBe(JSON.stringify(schema));
  expect(JSON.stringify(chat?.responseFormat?.schema)).toBe(JSON.stringify(schema));
  await played.settle({ text: '{}' });
  expect((await answer).status).toBe(200);
});
