import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { readStream, type StreamReader } from '@lontar/shared/testing/event-stream.ts';
import { type PlayedJob, takeJob } from '../../testing/played-worker.ts';
import { startTestGateway, type TestGateway } from '../../testing/running-gateway.ts';

let one: TestGateway;
let two: TestGateway;
let key: string;
let keyId: string;

beforeAll(async () => {
  one = await startTestGateway();
  two = await startTestGateway({}, one);
  ({ key, id: keyId } = await one.createKey({ credits: '1000', concurrency: '1000' }));
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

const bearer = (of = key) => ({ Authorization: `Bearer ${of}` });
const completionId = ({ job }: PlayedJob) => job.id.replace('req_', 'chatcmpl-');
const resumeAt = (gateway: TestGateway, played: PlayedJob, query = '') =>
  `${gateway.url}/v1/chat/completions/${completionId(played)}?stream=true${query}`;

/** Asks for a streamed chat, and takes its job. */
async function ask(gateway = one): Promise<{ played: PlayedJob; stream: Promise<Response>; leave: () => void }> {
  const leaving = new AbortController();
  const stream = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...bearer(), 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'ai-2.5-pro', stream: true, messages: [{ role: 'user', content: '"model":"x"' }] }),
    signal: leaving.signal,
  });
  stream.catch(() => undefined);
  return { stream, played: await takeJob(gateway.redis.client), leave: () => leaving.abort() };
}

interface Chunk {
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly choices: { delta: { content?: string; refusal?: string; role?: string }; finish_reason: string | null }[];
  readonly error?: { message: string; type: string; code: string };
}

/** What a stream of chunks gives until its end: `[DONE]` ends it, or the connection. */
async function chunksOf(
  response: Promise<Response> | Response,
): Promise<{ chunks: Chunk[]; ids: string[]; isDone: boolean; text: string }> {
  const raw = await (await response).text();
  const data = [...raw.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => json);
  const chunks = data.filter((json) => json !== '[DONE]').map((json) => JSON.parse(json) as Chunk);
  const text = chunks.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('');
  const ids = [...raw.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id);
  return { chunks, ids, isDone: data.at(-1) === '[DONE]', text };
}

describe('an answer that is asked for once more', () => {
  test('goes on where the reader is, on another gateway, while it grows', async () => {
    const { played, stream } = await ask();
    await played.frames(['text', 0, 'Palm ']);
    await played.partial('text', 'Palm ');
    expect((await stream).status).toBe(200);
    const rest = await fetch(resumeAt(two, played, '&starting_after=2'), { headers: bearer() });
    expect(rest.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await played.partial('text', 'Palm leaves');
    await played.frames(['text', 11, ' rustle']);
    await played.settle({ text: 'Palm leaves rustle.' }, { texts: false });
    const [first, second] = await Promise.all([chunksOf(stream), chunksOf(rest)]);
    expect([first.text, first.isDone]).toEqual(['Palm leaves rustle.', true]);
    expect([second.text, second.isDone]).toEqual(['lm leaves rustle.', true]);
    const [{ id, model, created } = { id: '', model: '', created: 0 }] = first.chunks;
    expect([id, model]).toEqual([completionId(played), 'ai-2.5-pro']);
    for (const chunk of second.chunks) expect(chunk).toMatchObject({ id, model, created });
    expect(second.chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(await one.redis.client.exists(redisKeys.followers(played.job.id))).toBe(0);
  });

  test('finds by itself what was written before workers learned that its gateway follows', async () => {
    const { played, stream } = await ask();
    await played.frames(['text', 0, 'a']);
    await stream;
    const opened = readStream(resumeAt(two, played), bearer());
    const followers = redisKeys.followers(played.job.id);
    while ((await one.redis.client.scard(followers)) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // The worker has not looked yet who follows: no frame comes, and no settlement either.
    await one.redis.client.set(redisKeys.partial(played.job.id, 'text'), 'ab');
    const rest = await opened;
    expect(await rest.next()).toMatchObject({ data: { choices: [{ delta: { content: 'ab' } }] } });
    await played.settle({ text: 'abc' });
    expect(await rest.next()).toMatchObject({ data: { choices: [{ delta: { content: 'c' } }] } });
    expect((await chunksOf(stream)).text).toBe('abc');
  });

  test('goes on by the id of the last event, with reasoning and calls, before starting_after', async () => {
    const { played, stream } = await ask();
    const call = { id: 'call_1', name: 'look', arguments: '{}' };
    await played.frames(['reasoning', 0, 'hm, '], ['reasoning', 4, 'yes'], ['text', 0, 'abc']);
    await played.settle({ text: 'abcdef', reasoning: 'hm, yes', toolCalls: [call] }, { texts: false });
    const { ids } = await chunksOf(stream);
    const all = ['4.0.0', '7.0.0', '7.3.0', '7.6.0', '7.6.1'].map((cursor) => `${completionId(played)}:${cursor}`);
    expect(ids).toEqual(all);
    for (const [index, id] of all.entries()) {
      const url = resumeAt(two, played, '&starting_after=0');
      const rest = await chunksOf(await fetch(url, { headers: { ...bearer(), 'Last-Event-ID': id } }));
      expect(rest.isDone).toBe(true);
      expect(rest.text).toBe(['abcdef', 'abcdef', 'def', '', ''][index]);
      expect(JSON.stringify(rest.chunks).includes('call_1')).toBe(index < 4);
      expect(JSON.stringify(rest.chunks).includes('"yes"')).toBe(index < 1);
    }
  });

  test('is a refusal in its own field, on whichever gateway, from its beginning or a place in it, and in one piece', async () => {
    const { played, stream } = await ask();
    await played.settle({ text: 'I cannot do that.', isRefusal: true }, { texts: false });
    const refusalOf = ({ chunks }: Awaited<ReturnType<typeof chunksOf>>) =>
      chunks.map(({ choices }) => choices[0]?.delta.refusal ?? '').join('');
    const first = await chunksOf(stream);
    expect([refusalOf(first), first.text, first.isDone]).toEqual(['I cannot do that.', '', true]);
    const places = ['', '&starting_after=2'].map((query) => fetch(resumeAt(two, played, query), { headers: bearer() }));
    const [all, rest] = await Promise.all(places.map(chunksOf));
    expect([all && refusalOf(all), rest && refusalOf(rest)]).toEqual(['I cannot do that.', 'cannot do that.']);
    expect([all?.text, rest?.text]).toEqual(['', '']);
    const whole = await fetch(resumeAt(two, played).replace('?stream=true', ''), { headers: bearer() });
    const message = { role: 'assistant', content: null, refusal: 'I cannot do that.' };
    expect(await whole.json()).toMatchObject({ choices: [{ message, finish_reason: 'stop' }] });
    const own = await fetch(`${two.url}/api/requests/${played.job.id}`, { headers: bearer() });
    expect(await own.json()).toMatchObject({ result: 'I cannot do that.' });
  });

  test('is given in one piece, for which its caller waits as the first one does', async () => {
    const { played, leave } = await ask();
    const url = `${two.url}/v1/chat/completions/${completionId(played)}`;
    const waiting = fetch(url, { headers: bearer() });
    const inEnvelope = fetch(`${two.url}/api/requests/${played.job.id}`, { headers: bearer() });
    await played.settle({ text: 'whole', masked: { url: 2, key: 0, ip: 0, connection: 0 } });
    const completion = (await (await waiting).json()) as Record<string, unknown>;
    expect(completion).toMatchObject({
      id: completionId(played),
      object: 'chat.completion',
      created: Math.floor(played.job.receivedAt / 1000),
      model: 'ai-2.5-pro',
      choices: [{ message: { content: 'whole' }, finish_reason: 'stop' }],
    });
    const envelope = await inEnvelope;
    expect([envelope.status, envelope.headers.get('x-masked')]).toEqual([200, '2']);
    expect(await envelope.json()).toMatchObject({ result: 'whole', metadata: { request_id: played.job.id } });
    expect(await (await fetch(url, { headers: bearer() })).json()).toEqual(completion);
    leave();
  });

  test('is given as the three endpoints stream it, too', async () => {
    const stream = readStream(`${one.url}/api/ai2?prompt=hi`, { ...bearer(), Accept: 'text/event-stream' });
    const played = await takeJob(one.redis.client);
    await played.settle({ text: 'Palm leaves' });
    const last = await (await stream).next('delta');
    expect(last.id).toBe(`${played.job.id}:-.11.0`);
    const url = `${two.url}/api/requests/${played.job.id}`;
    const rest = await readStream(url, { ...bearer(), 'Last-Event-ID': `${played.job.id}:-.5.0` });
    expect(await rest.next()).toMatchObject({ event: 'delta', data: { text: 'leaves' }, id: last.id });
    expect(await rest.next()).toMatchObject({ event: 'done', data: { metadata: { request_id: played.job.id } } });
  });

  test("is what a browser's EventSource gets that connects again: the rest, and no other answer", async () => {
    const url = (gateway: TestGateway) => `${gateway.url}/api/ai?prompt=hi&apikey=${key}`;
    const events = { Accept: 'text/event-stream' };
    const stream = readStream(url(one), events);
    const played = await takeJob(one.redis.client);
    await played.settle({ text: 'Palm leaves' });
    const { id } = await (await stream).next('done');
    expect(id).toBe(`${played.job.id}:end`);
    const rest = await readStream(url(two), { ...events, 'Last-Event-ID': `${played.job.id}:-.5.0` });
    expect(await rest.next()).toMatchObject({ event: 'delta', data: { text: 'leaves' } });
    // Anything but 200 ends its tries.
    expect((await fetch(url(two), { headers: { ...events, 'Last-Event-ID': id } })).status).toBe(400);
    expect(await one.redis.client.llen(queueKeys.waiting)).toBe(0);
  });

  test('is the failure that it was, with its status, and whether it was charged', async () => {
    const { played, stream } = await ask();
    await played.frames(['text', 0, 'a']);
    await stream;
    await played.settle({ v: 1, outcome: 'failed', error: 'stream_broken' });
    const { chunks, isDone } = await chunksOf(stream);
    expect([chunks.at(-1)?.error?.code, isDone]).toEqual(['stream_broken', true]);
    const again = await fetch(resumeAt(two, played, '&starting_after=1'), { headers: bearer() });
    expect(again.status).toBe(502);
    expect(await again.json()).toMatchObject({
      error: { code: 'stream_broken', message: expect.stringContaining('was not charged') },
    });
  });

  test('costs nothing but a request of the address', async () => {
    const { played, stream } = await ask();
    const charged = async () => await one.redis.client.hget(redisKeys.apiKey(keyId), 'charged');
    const before = await charged();
    const headersOf = async () => (await fetch(resumeAt(two, played), { headers: bearer() })).headers;
    await played.settle({ text: 'a' });
    await stream;
    const remaining = [await headersOf(), await headersOf()].map((headers) =>
      Number(headers.get('x-ratelimit-remaining')),
    );
    expect((remaining[0] ?? 0) - (remaining[1] ?? 0)).toBe(1);
    expect(await charged()).toBe(before);
  });
});

describe('what is not given', () => {
  test.each([
    ['&starting_after=-1', {}, 'starting_after'],
    ['&starting_after=x', {}, 'starting_after'],
    ['&starting_after=1.5', {}, 'starting_after'],
    ['&starting_after=NaN', {}, 'starting_after'],
    ['&starting_after=Infinity', {}, 'starting_after'],
    ['&starting_after=1e9', {}, 'starting_after'],
    ['&starting_after=', {}, 'starting_after'],
    ['&starting_after=99999999999999999999', {}, 'starting_after'],
    ['&starting_after=100000001', {}, 'starting_after'],
    ['&starting_after=4', {}, 'starting_after'],
    ['&starting_after=1&starting_after=1', {}, 'starting_after'],
    ['&include_usage=1', {}, 'include_usage'],
    ['', { 'Last-Event-ID': 'nonsense' }, 'Last-Event-ID'],
    ['', { 'Last-Event-ID': 'ID:0.-1.0' }, 'Last-Event-ID'],
    ['', { 'Last-Event-ID': 'ID:0.1' }, 'Last-Event-ID'],
    ['', { 'Last-Event-ID': 'chatcmpl-0000000000000000000001:0.1.0' }, 'Last-Event-ID'],
  ])('an offset that cannot be: %s %j', async (query, headers, param) => {
    const { played, stream } = await ask();
    await played.settle({ text: 'abc' });
    await stream;
    const named = Object.entries(headers).map(([name, value]) => [name, value.replace('ID', completionId(played))]);
    const response = await fetch(resumeAt(two, played, query), {
      headers: { ...bearer(), ...Object.fromEntries(named) },
    });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { param: string; message: string } };
    expect(error.param).toBe(param);
    expect(error.message).toContain(param);
  });

  test("another key's request, which is answered as one that never was, open or settled", async () => {
    const { played, stream } = await ask();
    const other = await one.createKey();
    const never = `${two.url}/v1/chat/completions/chatcmpl-0000000000000000000001`;
    const look = async (url: string, by: string) => {
      const response = await fetch(url, { headers: bearer(by) });
      return { status: response.status, body: await response.json() };
    };
    const unknown = await look(never, other.key);
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    const paths = [
      resumeAt(two, played),
      `${two.url}/v1/chat/completions/${completionId(played)}`,
      `${two.url}/v1/chat/completions/${played.job.id}`,
      `${two.url}/v1/chat/completions/${'x'.repeat(5_000)}`,
    ];
    for (const path of paths) expect(await look(path, other.key)).toEqual(unknown);
    expect(await one.redis.client.exists(redisKeys.followers(played.job.id))).toBe(0);
    await played.settle({ text: 'secret' });
    await stream;
    for (const path of paths) expect(await look(path, other.key)).toEqual(unknown);
    expect((await fetch(`${two.url}/api/requests/${played.job.id}`, { headers: bearer(other.key) })).status).toBe(404);
    expect((await fetch(resumeAt(two, played))).status).toBe(401);
  });
});

describe('a gateway that stops', () => {
  test('ends its open streams with an error that says how to go on, and another one gives the rest', async () => {
    const stopping = await startTestGateway({ DRAIN_TIMEOUT_MS: '3000' }, one);
    const { played, stream } = await ask(stopping);
    await played.frames(['text', 0, 'Palm']);
    await stream;
    const stopped = stopping.stop();
    const { chunks, isDone, text } = await chunksOf(stream);
    expect([text, isDone]).toEqual(['Palm', true]);
    const { message = '', type } = chunks.at(-1)?.error ?? {};
    expect(type).toBe('service_unavailable_error');
    const [path = ''] = /\/v1\/\S+/.exec(message) ?? [];
    await played.partial('text', 'Palm leaves');
    const rest = readStream(`${one.url}${path}`, bearer());
    expect(await textUntilEnd(await rest, () => played.settle({ text: 'Palm leaves.' }))).toBe(' leaves.');
    await stopped;
  });
});

/** The text of a stream of chunks, whose end something brings about once it has begun. */
async function textUntilEnd(reader: StreamReader, end: () => Promise<void>): Promise<string> {
  let text = '';
  let isEnding = false;
  for (;;) {
    const { data } = await reader.next();
    const [choice] = data['choices'] as Chunk['choices'];
    text += choice?.delta.content ?? '';
    if (choice?.finish_reason === 'stop') return text;
    if (!isEnding) await end();
    isEnding = true;
  }
}

describe('readers of one answer', () => {
  test('keep it going where the first one leaves', async () => {
    const { played, stream, leave } = await ask();
    await played.frames(['text', 0, 'a']);
    await played.partial('text', 'a');
    await stream;
    const rest = await fetch(resumeAt(two, played), { headers: bearer() });
    leave();
    // On the same gateway as well, beside the one who has left.
    const third = await fetch(resumeAt(one, played), { headers: bearer() });
    await played.settle({ text: 'abc' });
    expect((await chunksOf(rest)).text).toBe('abc');
    expect((await chunksOf(third)).text).toBe('abc');
  });

  test('keep it going no longer than they read: one who came to the same gateway and left is none', async () => {
    const { played, stream, leave } = await ask();
    await played.frames(['text', 0, 'a']);
    await played.partial('text', 'a');
    await stream;
    const second = await readStream(resumeAt(one, played), bearer());
    await second.next();
    const subscriber = one.redis.client.duplicate();
    await subscriber.subscribe(redisKeys.cancellations);
    const cancelled = new Promise((resolve) => subscriber.on('message', (_channel, id) => resolve(id)));
    second.close();
    // The gateway has seen it once another request has gone its whole way.
    await (await fetch(`${one.url}/v1/models`, { headers: bearer() })).text();
    leave();
    expect(await cancelled).toBe(played.job.id);
    await played.settle({ v: 1, outcome: 'failed', error: 'client_closed' });
    subscriber.disconnect();
  });
});
