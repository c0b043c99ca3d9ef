import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readStream } from '@lontar/shared/testing/event-stream.ts';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { eventOf } from '@lontar/shared/testing/slow-answers.ts';
import OpenAI from 'openai';
import { until } from './harness/eventually.ts';
import { type Stack, startStack } from './harness/stack.ts';

const MODEL = 'ai-2.5-flash';
const SECRET = 'postgres://u:p4ssw0rd@db.example.com:5432/shop';
const TEXT = `Palm 🌴 leaves ${'rustle softly, and '.repeat(8)}at ${SECRET} on 203.0.113.9; ${'they go on, '.repeat(8)}漢字 end.`;
const MASKED = TEXT.replace(SECRET, '***DB_CONNECTION***').replace('203.0.113.9', '***IP_ADDRESS***');

let stack: Stack;
let key: string;
let finishing: string;

beforeAll(async () => {
  stack = await startStack({ gateways: 2, workers: 2, durable: true, settings: { DRAIN_TIMEOUT_MS: '6000' } });
  key = (await stack.createKey()).key;
  finishing = (await stack.createKey('--on-disconnect', 'finish')).key;
});
afterAll(() => stack.stop());
beforeEach(() => stack.upstream.reset());

/** In pieces of two characters. */
const pairs = (text: string) => text.match(/..?/gsu) ?? [];
const paced = (paceMs: number) => ({ kind: 'answer', text: TEXT, paceMs, usage: { input: 3, output: 70 } }) as const;
const client = (url = stack.url, apiKey = key) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
const HELLO = { model: MODEL, messages: [{ role: 'user' as const, content: 'hello' }] };
const stream = (openai = client(), signal?: AbortSignal) =>
  openai.chat.completions.create({ ...HELLO, stream: true }, { ...(signal && { signal }) });

/** What a client has of an answer: its text, and the id of its last event. */
interface Had {
  text: string;
  id: string;
  lastEventId: string;
  error?: string;
  isWhole: boolean;
}

/** Reads chunks as they come, as an HTTP client does that knows event streams; `more` says whether to read on. */
async function readOn(url: string, init: RequestInit, had: Had, more: (had: Had) => boolean): Promise<void> {
  const leaving = new AbortController();
  const response = await fetch(url, { ...init, signal: leaving.signal });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  let rest = '';
  try {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = (rest + piece).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        note(had, event);
        if (!had.isWhole && !more(had)) return;
      }
    }
  } catch (error) {
    // The gateway was killed, or the caller left.
    if (had.isWhole) throw error;
  } finally {
    leaving.abort();
  }
}

function note(had: Had, event: string): void {
  const data = /^data: (.*)$/m.exec(event)?.[1] ?? '';
  if (data === '[DONE]' || data === '') return;
  const chunk = JSON.parse(data) as OpenAI.ChatCompletionChunk & { error?: { code: string } };
  if (chunk.error) {
    had.error = chunk.error.code;
    return;
  }
  had.id = chunk.id;
  had.lastEventId = /^id: (.*)$/m.exec(event)?.[1] ?? had.lastEventId;
  had.text += chunk.choices[0]?.delta.content ?? '';
  if (chunk.choices[0]?.finish_reason) had.isWhole = true;
}

const nothing = (): Had => ({ text: '', id: '', lastEventId: '', isWhole: false });
const begin = (url: string, apiKey: string, had: Had, more: (had: Had) => boolean) =>
  readOn(
    `${url}/v1/chat/completions`,
    {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...HELLO, stream: true }),
    },
    had,
    more,
  );

/** Goes on where it was cut: by the last event's id, or by the length of the text. */
function goOn(url: string, apiKey: string, had: Had, byId: boolean, more: (had: Had) => boolean): Promise<void> {
  const after = byId ? '' : `&starting_after=${had.text.length}`;
  const headers = { Authorization: `Bearer ${apiKey}`, ...(byId && { 'Last-Event-ID': had.lastEventId }) };
  return readOn(`${url}/v1/chat/completions/${had.id}?stream=true${after}`, { headers }, had, more);
}

describe('the client of OpenAI', () => {
  test('gets the masked answer piece by piece, and what was used', async () => {
    stack.upstream.queue(paced(5));
    const chunks = await client().chat.completions.create({
      ...HELLO,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let pieces = 0;
    const ends: unknown[] = [];
    for await (const { choices, usage, id } of chunks) {
      expect(id).toMatch(/^chatcmpl-/);
      text += choices[0]?.delta.content ?? '';
      if (choices[0]?.delta.content) pieces++;
      ends.push(choices[0]?.finish_reason ?? usage ?? undefined);
    }
    expect(text).toBe(MASKED);
    expect(pieces).toBeGreaterThan(5);
    expect(ends.slice(-2)).toEqual(['stop', { prompt_tokens: 3, completion_tokens: 70, total_tokens: 73 }]);
  });

  test('gets tool calls whole, whose parts it puts together', async () => {
    const call = { id: 'call_1', name: 'look', arguments: JSON.stringify({ at: 'palm 🌴 leaves', n: 1 }) };
    stack.upstream.queue({ kind: 'answer', text: '', toolCalls: [call], finishReason: 'tool_calls' });
    const tools = [{ type: 'function' as const, function: { name: 'look', parameters: { type: 'object' } } }];
    const runner = client().chat.completions.stream({ ...HELLO, tools });
    const message = await runner.finalMessage();
    expect(message.tool_calls).toMatchObject([{ id: 'call_1', function: { name: 'look', arguments: call.arguments } }]);
  });

  test('gets a refusal as one, masked, the same as a stream and in one piece', async () => {
    const refusal = `I cannot tell of ${SECRET} here.`;
    const choice = (fields: object, reason: string | null = null) => ({
      choices: [{ index: 0, ...fields, finish_reason: reason }],
    });
    const message = choice({ message: { role: 'assistant', content: null, refusal } }, 'stop');
    const deltas = [
      { role: 'assistant', content: '', refusal: null },
      ...pairs(refusal).map((text) => ({ refusal: text })),
    ];
    const events = [...deltas.map((delta) => choice({ delta })), choice({ delta: {} }, 'stop')].map(eventOf);
    stack.upstream.behave(({ isStream }) =>
      isStream
        ? { kind: 'raw', pieces: [...events, 'data: [DONE]\n\n'] }
        : { kind: 'raw', contentType: 'application/json', pieces: [JSON.stringify(message)] },
    );
    const expected = { role: 'assistant', content: null, refusal: 'I cannot tell of ***DB_CONNECTION*** here.' };
    const runner = client().chat.completions.stream(HELLO);
    let heard = '';
    runner.on('refusal.delta', ({ delta }) => {
      heard += delta;
    });
    expect(await runner.finalMessage()).toMatchObject(expected);
    expect(heard).toBe(expected.refusal);
    const { choices } = await client().chat.completions.create(HELLO);
    expect(choices).toMatchObject([{ message: expected, finish_reason: 'stop' }]);
    const headers = { 'X-API-Key': key };
    const prompted = (await (await fetch(`${stack.url}/api/ai?prompt=hi`, { headers })).json()) as { result: string };
    expect(prompted.result).toBe(expected.refusal);
    const reader = await readStream(`${stack.url}/api/ai?prompt=hi`, { ...headers, Accept: 'text/event-stream' });
    expect(await reader.next()).toMatchObject({ event: 'delta', data: { text: expected.refusal } });
  });

  test('throws what goes wrong before the first piece as what it is', async () => {
    stack.upstream.behave({ kind: 'status', status: 401 });
    await expect(stream()).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    await expect(stream(client(stack.url, 'lt_live_nonsense'))).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });

  test('that aborts has the call to the upstream ended', async () => {
    stack.upstream.queue(paced(200));
    const chunks = await stream();
    for await (const { choices } of chunks) if (choices[0]?.delta.content) break;
    const [call] = stack.upstream.calls;
    await call?.whenAborted;
    expect(call?.aborted).toBe(true);
  });
});

test('the endpoints with a persona give the same text as a stream and in one piece', async () => {
  stack.upstream.behave(paced(2));
  const headers = { 'X-API-Key': key };
  const reader = await readStream(`${stack.url}/api/ai?prompt=hi`, { ...headers, Accept: 'text/event-stream' });
  let text = '';
  for (let event = await reader.next(); event.event !== 'done'; event = await reader.next()) {
    expect(event.event).toBe('delta');
    text += String(event.data['text']);
  }
  expect(text).toBe(MASKED);
  const whole = (await (await fetch(`${stack.url}/api/ai?prompt=hi`, { headers })).json()) as { result: string };
  expect(whole.result).toBe(text);
});

describe('a stream that is cut', () => {
  // STREAM_READERS and STREAM_CUTS_SEED: more of them, and others.
  test('goes on without a gap or a repeat, wherever and however often, on whichever gateway', async () => {
    stack.upstream.behave(paced(10));
    const random = seededRandom(Number(process.env['STREAM_CUTS_SEED'] ?? 5));
    const readers = Number(process.env['STREAM_READERS'] ?? 12);
    let cuts = 0;
    const anyGateway = () => stack.urls[Math.floor(random() * 2)] ?? '';
    // After so many events, again and again.
    const some = () => {
      let left = 1 + Math.floor(random() * 12);
      return () => left-- > 0;
    };
    async function readInPieces(): Promise<void> {
      const had = nothing();
      await begin(anyGateway(), finishing, had, some());
      for (; !had.isWhole && had.error === undefined; cuts++) {
        await goOn(anyGateway(), finishing, had, random() < 0.5, some());
      }
      expect([had.error, had.text]).toEqual([undefined, MASKED]);
    }
    // So many at once as any machine bears.
    for (let left = readers; left > 0; left -= 12) {
      await Promise.all(Array.from({ length: Math.min(12, left) }, readInPieces));
    }
    expect(stack.upstream.calls).toHaveLength(readers);
    expect(cuts).toBeGreaterThan(readers);
    if (process.env['STREAM_READERS'] !== undefined) console.info(`${cuts} cuts of ${readers} streams`);
  });

  test('by the death of its gateway goes on at another one', async () => {
    stack.upstream.behave(paced(30));
    const dying = await stack.startGateway();
    const readers = Array.from({ length: 5 }, () => nothing());
    const cut = readers.map((had) => begin(dying, key, had, () => true));
    await until(async () => readers.every(({ text }) => text !== ''));
    await stack.gateways.at(-1)?.end('SIGKILL');
    await Promise.all(cut);
    for (const [index, had] of readers.entries()) {
      expect(had.isWhole).toBe(false);
      await goOn(stack.urls[index % 2] ?? '', key, had, index > 2, () => true);
      expect([had.error, had.text]).toEqual([undefined, MASKED]);
    }
    expect(stack.upstream.calls).toHaveLength(readers.length);
  });

  test('by a gateway that stops before the answer is whole ends with an error, and goes on at another one', async () => {
    stack.upstream.behave(paced(70));
    const stopping = await stack.startGateway();
    const had = nothing();
    const cut = begin(stopping, key, had, () => true);
    await until(async () => had.text !== '');
    const ended = stack.gateways.at(-1)?.end('SIGTERM');
    await cut;
    expect([had.error, had.isWhole]).toEqual(['server_is_overloaded', false]);
    expect(await ended).toBe(0);
    delete had.error;
    await goOn(stack.url, key, had, true, () => true);
    expect([had.error, had.text]).toEqual([undefined, MASKED]);
  });

  test('by a Redis that is killed and comes back goes on, or ends with an error and is not charged', async () => {
    stack.upstream.behave(paced(30));
    const { id, key: counted } = await stack.createKey('--credits', '50');
    const readers = Array.from({ length: 5 }, () => nothing());
    const read = readers.map((had) => begin(stack.url, counted, had, () => true));
    await until(async () => readers.every(({ text }) => text !== ''));
    await stack.redis.kill();
    await stack.redis.start();
    await Promise.all(read);
    for (const { text, error, isWhole } of readers) {
      if (isWhole) expect(text).toBe(MASKED);
      else expect([MASKED.startsWith(text), typeof error]).toEqual([true, 'string']);
    }
    const whole = readers.filter(({ isWhole }) => isWhole).length;
    await until(async () => (await stack.redis.client.zcard(`{lontar}:key-flight:${id}`)) === 0);
    expect(await stack.redis.client.hget(`{lontar}:key:${id}`, 'charged')).toBe(String(whole));
  });

  test('by the death of its worker ends with an error, and is not charged', async () => {
    stack.upstream.behave(paced(30));
    const { id, key: counted } = await stack.createKey('--credits', '5');
    const had = nothing();
    const cut = begin(stack.url, counted, had, () => true);
    await until(async () => had.text !== '');
    // One of them has it: the other one takes over.
    await Promise.all(stack.workers.map((worker) => worker.end('SIGKILL')));
    await stack.startWorker();
    await cut;
    expect([had.error, had.isWhole]).toEqual(['stream_broken', false]);
    expect(MASKED.startsWith(had.text)).toBe(true);
    expect(await stack.redis.client.hget(`{lontar}:key:${id}`, 'charged')).toBe('0');
    expect(stack.upstream.calls).toHaveLength(1);
  });
});
