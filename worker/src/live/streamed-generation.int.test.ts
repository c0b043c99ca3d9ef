import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ChatJob } from '@lontar/shared/generation-job.ts';
import { type Frame, parseFrames } from '@lontar/shared/live/frames.ts';
import {
  createNumberedReader,
  readNumberedEntry,
  readNumberedStart,
  writeNumbered,
} from '@lontar/shared/live/numbered-frames.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { createRegistry, type WorkerMetrics, workerMetrics } from '@lontar/shared/metrics.ts';
import { later } from '@lontar/shared/redis-clock.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { parseSettlement } from '@lontar/shared/settlement/settlement.ts';
import { type Ending, runTurn } from '@lontar/shared/settlement/turn.ts';
import { readSettlement } from '@lontar/shared/testing/read-settlement.ts';
import { startTestRedis, type TestRedis } from '@lontar/shared/testing/redis-server.ts';
import { redisTime } from '@lontar/shared/testing/redis-time.ts';
import { reserve } from '@lontar/shared/testing/reservations.ts';
import * as fc from 'fast-check';
import { oneUpstream } from '../../testing/one-upstream.ts';
import type { AbortReason, JobStart } from '../job-start.ts';
import { createMasker } from '../masking/mask.ts';
import {
  type LanguageModel,
  MODEL_ERROR_KINDS,
  ModelError,
  type ModelPart,
  type ModelResult,
} from '../model/language-model.ts';
import { type ProcessDeps, processGeneration } from '../process-generation.ts';
import { createQuarantine } from '../quarantine.ts';
import { createLivePlane } from './live-plane.ts';
import { Transcript } from './transcript.ts';

const NOW = redisTime(1_800_000_000_000);
const requestId = 'req_0000000000000000000001';
const TOKEN = ['ghp', 'A1b2C3d4E5F6'.repeat(3)].join('_');

/** The gateway that waits, and another one; those of an earlier version take no numbered frames. */
let waiting = '';
/** The latest worker: each has a name of its own. */
let worker = '';
let workers = 0;
let other = '';

let server: TestRedis;
let metrics: WorkerMetrics;
let registry: ReturnType<typeof createRegistry>;

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  registry = createRegistry('worker', 'test');
  metrics = workerMetrics(registry, MODEL_ERROR_KINDS);
  await server.client.flushall();
  await server.client.hset(redisKeys.apiKey('k'), { id: 'k', charged: 1 });
  await reserve(server.client, requestId, 'k');
  for (const gateway of ['g.3', 'other.3', 'g', 'other'])
    await server.client.xadd(redisKeys.inbox(gateway), '*', 'opened', '1');
});

type Generate = LanguageModel['generate'];

function deps(generate: Generate, over: Partial<ProcessDeps> = {}): ProcessDeps {
  workers++;
  worker = `w${workers}`;
  return {
    redisReturnedAt: () => redisTime(0),
    redisPromotedAt: () => redisTime(0),
    redisOutageEndedAt: () => redisTime(0),
    quarantine: createQuarantine(() => undefined),
    redis: server.client,
    clock: { now: () => redisTime(NOW), stop: () => undefined },
    logger: createLogger('test', 'silent'),
    metrics,
    ...oneUpstream({ provider: 'demo', generate, close: () => Promise.resolve() }),
    personas: { '/api/ai': '', '/api/ai2': '', '/api/ai3': '' },
    masker: createMasker(),
    live: createLivePlane({ redis: server.client, worker, metrics, onRedisFailure: () => undefined }),
    freeFailuresPerHour: 5,
    keepPreviews: true,
    random: () => 0.5,
    noteModelOutcome: () => undefined,
    onRedisFailure: () => undefined,
    ...over,
  };
}

const job = (): ChatJob => ({
  v: 2,
  id: requestId,
  endpoint: '/v1/chat/completions',
  chat: { messages: [{ role: 'user', content: 'Tell me more' }] },
  model: 'ai-2.5-pro',
  maxOutputTokens: 100,
  stream: true,
  keyId: 'k',
  gateway: waiting,
  receivedAt: later(NOW, -10),
  deadlineAt: later(NOW, 60_000),
});

function start(over: Partial<JobStart> = {}): JobStart {
  // As a worker does it, less the job in the queue.
  const settle = async (given: NonNullable<Ending['settle']>) => {
    const { ended } = await runTurn(server.client, {
      endings: [{ requestId: over.job?.id ?? requestId, settle: given }],
      take: 0,
      lock: 'none',
    });
    const [one] = ended;
    if (one instanceof Error) throw one;
    return one?.settled ?? { kind: 'gone' as const };
  };
  return { job: job(), number: 1, attempt: 1, losses: 0, signal: new AbortController().signal, settle, ...over };
}

const call = { id: 'call_1', name: 'look', arguments: '{"at":"10.1.2.3"}' };
const result = (over: Partial<ModelResult> = {}): ModelResult => ({
  text: '',
  usage: { input: 3, output: 4 },
  finishReason: 'stop',
  ...over,
});

/** Answers in parts; `between` is awaited after each but the last. */
function inParts(
  parts: readonly ModelPart[],
  between: (index: number) => Promise<unknown>,
  over: Partial<ModelResult> = {},
): Generate {
  return async (_request, _signal, onPart) => {
    for (const [index, part] of parts.entries()) {
      onPart?.(part);
      if (index < parts.length - 1) await between(index);
    }
    return result(over);
  };
}

const text = (data: string): ModelPart => ({ kind: 'text', text: data });

/** Entries of an inbox beside the one that opens it, as they are. */
async function entriesOf(gateway = waiting): Promise<string[][]> {
  return (await server.client.xrange(redisKeys.inbox(gateway), '-', '+')).slice(1).map(([, fields]) => fields);
}

async function framesOf(gateway = waiting): Promise<Frame[]> {
  const reader = createNumberedReader();
  const frames: Frame[] = [];
  for (const fields of await entriesOf(gateway)) {
    const entry = readNumberedEntry(fields);
    if (entry) {
      const read = (from: typeof entry) => reader.read(from, (frame) => frames.push(frame));
      const unknown = read(entry);
      // As a gateway that has not heard of them: it is told by Redis.
      for (const number of unknown) {
        const said = await server.client.hget(redisKeys.streamNumbers(worker), String(number));
        if (said !== null) reader.learn(worker, number, readNumberedStart(said));
      }
      if (unknown.size > 0) read(entry);
    } else if (fields[0] === 'frames') frames.push(...parseFrames(fields[1] ?? ''));
  }
  return frames;
}

async function replyOf(gateway = waiting) {
  const [, id, , json = ''] = (await entriesOf(gateway)).find(([field]) => field === 'id') ?? [];
  return { id, settlement: parseSettlement(json) };
}

/** Waits until an inbox holds frames, and those of a track hold something: on a busy machine that takes seconds. */
async function untilFrames(track = 'text', part = '', gateway = waiting): Promise<Frame[]> {
  for (;;) {
    const frames = await framesOf(gateway);
    if (frames.some((frame) => frame[2] === track) && joined(frames, track).includes(part)) return frames;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const isNumbered = () => waiting === 'g.3';
const settled = () => readSettlement(server.client, requestId);
const charged = async () => Number(await server.client.hget(redisKeys.apiKey('k'), 'charged'));
const visible = () => server.client.hget(redisKeys.request(requestId), 'visible');
const joined = (frames: readonly Frame[], track: string) =>
  frames
    .filter((frame) => frame[2] === track)
    .map((frame) => frame[4])
    .join('');

/** Long enough that nothing before it is withheld any more: an address is judged by what follows, too. */
const ONWARD = 'and so it goes on and on, word by word, sentence by sentence, until it ends. '.repeat(4);

describe.each([
  ['', 'g.3', 'other.3'],
  [' that a gateway of an earlier version follows', 'g.3', 'other'],
  [' for a gateway of an earlier version', 'g', 'other.3'],
])('an answer%s', (_what, gateway, follower) => {
  beforeEach(() => {
    waiting = gateway;
    other = follower;
  });

  describe('a streamed answer', () => {
    test('reaches its gateway masked while it grows, and its settlement leaves out what was sent', async () => {
      const seen: Frame[][] = [];
      const parts: ModelPart[] = [
        { kind: 'reasoning', text: `Hm, 10.9.8.7 ${ONWARD}` },
        text('The token is '),
        text(TOKEN.slice(0, 20)),
        text(`${TOKEN.slice(20)} ${ONWARD}`),
        text('so on.'),
        { kind: 'call', call },
      ];
      const between = async (index: number) => {
        if (index === 0) seen.push(await untilFrames('reasoning', '***IP_ADDRESS***'));
        if (index === 3) seen.push(await untilFrames('text', '***API_KEY***'));
      };
      await processGeneration(deps(inParts(parts, between, { usage: { input: 9, output: 8 } })), start());

      expect(joined(seen[0] ?? [], 'reasoning')).toMatch(/^Hm, \*\*\*IP_ADDRESS\*\*\* and so/);
      expect(seen[0]?.[0]).toEqual([requestId, 1, 'reasoning', 0, expect.any(String)]);
      expect(joined(seen[1] ?? [], 'text')).toMatch(/^The token is \*\*\*API_KEY\*\*\* and so/);
      const frames = await framesOf();
      const masked = {
        text: `The token is ***API_KEY*** ${ONWARD}so on.`,
        reasoning: `Hm, ***IP_ADDRESS*** ${ONWARD}`,
      };
      expect({ text: joined(frames, 'text'), reasoning: joined(frames, 'reasoning') }).toEqual(masked);
      const toolCalls = [{ ...call, arguments: '{"at":"***IP_ADDRESS***"}' }];
      expect(JSON.parse(joined(frames, 'call'))).toEqual(toolCalls[0]);

      const rest = { finishReason: 'tool_calls', toolCalls, usage: { input: 9, output: 8 } };
      expect(await settled()).toMatchObject({ outcome: 'answered', ...masked, ...rest, masked: { key: 1, ip: 2 } });
      const { settlement } = await replyOf();
      expect(settlement).toMatchObject({
        text: '',
        textLength: masked.text.length,
        reasoningLength: masked.reasoning.length,
        ...rest,
      });
      expect(settlement).not.toHaveProperty('reasoning');
      expect(await server.client.keys('{lontar}:partial:req_*')).toEqual([]);
      expect(await charged()).toBe(1);
    });

    test('that is a refusal comes with its settlement, masked, which says so, and no frame shows it as text', async () => {
      const refusal = `I cannot use ${TOKEN} for that. ${ONWARD}`;
      const masked = `I cannot use ***API_KEY*** for that. ${ONWARD}`;
      const parts: ModelPart[] = [{ kind: 'reasoning', text: `Hm. ${ONWARD}` }];
      const refuses = inParts(parts, () => Promise.resolve(), { refusal });
      await processGeneration(deps(refuses), start());
      expect((await framesOf()).filter(([, , track]) => track === 'text')).toEqual([]);
      const kept = { outcome: 'answered', text: masked, isRefusal: true, masked: { key: 1 } };
      expect(await settled()).toMatchObject({ ...kept, reasoning: `Hm. ${ONWARD}` });
      const { settlement } = await replyOf();
      expect(settlement).toMatchObject({ isRefusal: true, text: '', textLength: masked.length });
    });

    test('that is a refusal is text for an endpoint with a persona', async () => {
      const { chat: _, ...common } = job();
      const prompt = { ...common, v: 1 as const, endpoint: '/api/ai' as const, prompt: 'Tell me', temperature: 1 };
      const refuses = inParts([], () => Promise.resolve(), { refusal: `Not with ${TOKEN}.` });
      await processGeneration(deps(refuses), start({ job: prompt }));
      expect(joined(await framesOf(), 'text')).toBe('Not with ***API_KEY***.');
      const kept = await settled();
      expect(kept).toMatchObject({ outcome: 'answered', text: 'Not with ***API_KEY***.' });
      expect(kept).not.toHaveProperty('isRefusal');
    });

    test('gives its caller back what the caller sent, once it is there whole, and the log neither', async () => {
      const messages = [{ role: 'user' as const, content: `Mine is ${TOKEN}.` }];
      const own = { ...job(), chat: { messages }, policy: { keepOwn: true } };
      const other = TOKEN.replaceAll('1', '9');
      const parts = [
        text('The token is '),
        text(TOKEN.slice(0, 20)),
        text(`${TOKEN.slice(20)} ${ONWARD}`),
        text(`${other} so on.`),
      ];
      const between = async (index: number) => {
        if (index === 1) expect(joined(await framesOf(), 'text')).not.toContain(TOKEN.slice(0, 8));
        if (index === 2) await untilFrames('text', ' and so');
      };
      const answer = `The token is ${TOKEN} ${ONWARD}${other} so on.`;
      await processGeneration(deps(inParts(parts, between, { text: answer })), start({ job: own }));
      const shown = `The token is ${TOKEN} ${ONWARD}***API_KEY*** so on.`;
      expect(joined(await framesOf(), 'text')).toBe(shown);
      const answerPreview = `The token is ***API_KEY*** ${ONWARD}***API_KEY*** so on.`;
      expect(await settled()).toMatchObject({ text: shown, masked: { key: 1 }, work: { answerPreview } });
      expect((await replyOf()).settlement).toMatchObject({ text: '', work: { answerPreview } });
    });

    test('has its first words sent at once, and then all that comes within a tick together', async () => {
      const words = Array.from({ length: 200 }, (_, index) => text(`w${index} `));
      const generate: Generate = async (_request, _signal, onPart) => {
        onPart?.(text('first '));
        await untilFrames();
        for (const word of words) {
          onPart?.(word);
          await new Promise((resolve) => setImmediate(resolve));
        }
        return result();
      };
      await processGeneration(deps(generate), start());
      const entries = (await entriesOf()).filter(([field]) => field !== 'id');
      expect(joined(await framesOf(), 'text')).toBe(
        `first ${words.map((word) => (word as { text: string }).text).join('')}`,
      );
      expect(entries.length).toBeLessThan(words.length / 2);
    });

    test('of a model that does not stream is sent whole, before its settlement', async () => {
      await processGeneration(
        deps(async () => result({ text: `It is ${TOKEN}.` })),
        start(),
      );
      expect((await entriesOf()).map(([field]) => field)).toEqual([isNumbered() ? 'numbered' : 'frames', 'id']);
      expect(await framesOf()).toEqual([[requestId, 1, 'text', 0, 'It is ***API_KEY***.']]);
      expect(await visible()).toBe('1');
    });

    test('that is long has frames that fit, cut where no character is', async () => {
      const long = '🌐'.repeat(100_000);
      await processGeneration(
        deps(async () => result({ text: long })),
        start(),
      );
      const entries = await entriesOf();
      for (const [, json = ''] of entries) expect(Buffer.byteLength(json)).toBeLessThanOrEqual(262_144);
      const frames = await framesOf();
      for (const frame of frames) expect(frame[4].isWellFormed()).toBe(true);
      expect(joined(frames, 'text')).toBe(long);
      const bytes = entries.reduce((sum, fields) => sum + Buffer.byteLength(fields.at(-1) ?? ''), 0);
      expect(await server.client.get(redisKeys.inboxBytes(waiting))).toBe(String(bytes));
    });

    test('in which masking fails ends: the model is stopped, nothing is kept, the credit is back', async () => {
      let hostile = '';
      for (let number = 0; hostile.length < 60_000; number++) hostile += `secret=${'abc'.charAt(number % 3)}${number}/`;
      const generate: Generate = (_request, signal, onPart) => {
        onPart?.(text(hostile));
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new ModelError('cancelled')), { once: true });
        });
      };
      await processGeneration(deps(generate), start());
      expect(await settled()).toMatchObject({ error: 'masking_failed', charged: false, usage: { isEstimated: true } });
      expect(JSON.stringify(await entriesOf())).not.toContain('secret=');
      expect(await registry.metrics()).toContain('masking_operations_total{result="refused",service="worker"} 1');
    });

    test('whose caller leaves is charged, with what was used of it', async () => {
      const leaving = new AbortController();
      const generate: Generate = async (_request, signal, onPart) => {
        onPart?.(text('twelve chars '));
        await untilFrames();
        leaving.abort('cancelled' satisfies AbortReason);
        expect(signal.aborted).toBe(true);
        throw new ModelError('cancelled');
      };
      await processGeneration(deps(generate), start({ signal: leaving.signal }));
      expect(await settled()).toMatchObject({
        error: 'client_closed',
        charged: true,
        usage: { input: 3, output: 4, isEstimated: true },
      });
    });
  });

  describe('the fence', () => {
    const failsAfter =
      (part: string): Generate =>
      async (_request, _signal, onPart) => {
        if (part !== '') {
          onPart?.(text(part));
          await untilFrames();
        }
        throw new ModelError('connection');
      };

    test('lets an attempt that failed before its first word be made again', async () => {
      expect(await processGeneration(deps(failsAfter('')), start())).toMatchObject({ kind: 'again' });
      await processGeneration(
        deps(async () => result({ text: 'second' })),
        start({ number: 2, attempt: 2 }),
      );
      expect(await framesOf()).toEqual([[requestId, 2, 'text', 0, 'second']]);
    });

    test('settles one that failed after it: no second attempt', async () => {
      expect(await processGeneration(deps(failsAfter('Some ')), start())).toEqual({ kind: 'done' });
      expect(await settled()).toMatchObject({ error: 'upstream_error', charged: false });
      // The upstream had worked: the failure counts among those that are free.
      expect(await server.client.llen(redisKeys.keyFreeFailures('k'))).toBe(1);
    });

    test('sends the words that masking gives before the failure of a stream that was seen, and withholds the rest', async () => {
      const generate: Generate = async (_request, _signal, onPart) => {
        onPart?.(text('Some '));
        await untilFrames();
        for (const piece of ['words, ', TOKEN.slice(0, 20), `${TOKEN.slice(20)} `, 'and ', TOKEN.slice(0, 25)])
          onPart?.(text(piece));
        throw new ModelError('connection');
      };
      await processGeneration(deps(generate), start());
      expect(joined(await framesOf(), 'text')).toBe('Some words, ***API_KEY*** and ');
      // The failure follows them.
      expect((await entriesOf()).map(([field]) => field).at(-1)).toBe('id');
      expect(await replyOf()).toMatchObject({ settlement: { error: 'upstream_error' } });
      expect(await settled()).toMatchObject({ error: 'upstream_error', charged: false });
    });

    test('shows a stream that fails anywhere as the beginning of the masked whole, with all that was to be seen', async () => {
      const masker = createMasker();
      const word = fc.constantFrom(
        'the ',
        'model',
        ' ',
        '\n',
        '漢字',
        '🌐',
        'password=',
        'http://',
        '. ',
        TOKEN,
        '10.1.2.3',
      );
      const answer = fc.array(word, { minLength: 1, maxLength: 25 }).map((words) => `Begin. ${words.join('')}`);
      let run = 0;
      const fails = async (whole: string, points: readonly number[]) => {
        run++;
        const id = `req_9${String(run).padStart(21, '0')}`;
        await reserve(server.client, id, 'k');
        const framesOfRun = async () => (await framesOf()).filter(([of]) => of === id);
        const cuts = points.map((point) => 7 + (point % (whole.length - 6))).sort((a, b) => a - b);
        const pieces = [7, ...cuts].slice(0, -1).map((from, index) => whole.slice(from, cuts[index]));
        const generate: Generate = async (_request, _signal, onPart) => {
          onPart?.(text(whole.slice(0, 7)));
          while ((await framesOfRun()).length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
          for (const piece of pieces) onPart?.(text(piece));
          throw new ModelError('connection');
        };
        await processGeneration(deps(generate), start({ job: { ...job(), id } }));
        // All of it is there before the failure.
        expect((await entriesOf()).at(-1)?.[0]).toBe('id');
        const shown = joined(await framesOfRun(), 'text');
        const given = new Transcript(masker, true);
        for (const piece of [whole.slice(0, 7), pieces.join('')]) {
          given.add(text(piece));
          while (given.advance());
        }
        expect(shown).toBe(given.text);
        expect(masker.mask(whole).text.slice(0, shown.length)).toBe(shown);
      };
      const points = fc.array(fc.nat(), { minLength: 1, maxLength: 6 });
      await fc.assert(fc.asyncProperty(answer, points, fails), { numRuns: 40 });
    });

    test('breaks a stream whose start was seen and died, without asking the model, and gives the credit back', async () => {
      // A worker that dies settles nothing.
      const died = Promise.withResolvers<{ readonly kind: 'gone' }>();
      const dying = deps(inParts([text('Some ')], async () => undefined));
      const dead = processGeneration(dying, start({ settle: () => died.promise }));
      await untilFrames();
      let asked = 0;
      await processGeneration(
        deps(async () => {
          asked++;
          return result({ text: 'again' });
        }),
        start({ number: 2, losses: 1 }),
      );
      expect(asked).toBe(0);
      expect(await settled()).toMatchObject({ error: 'stream_broken', charged: false });
      expect(await replyOf()).toMatchObject({ settlement: { error: 'stream_broken' } });
      expect(await charged()).toBe(0);
      expect(await registry.metrics()).toContain('stream_broken_total{service="worker"} 1');
      // Else it would go on keeping its text, in the tests that follow.
      died.resolve({ kind: 'gone' });
      await dead;
    });

    test('keeps the words of a start away that a later one has overtaken', async () => {
      await server.client.hset(redisKeys.request(requestId), { fence: '2' });
      await processGeneration(
        deps(async () => result({ text: 'too late' })),
        start(),
      );
      expect(await entriesOf()).toEqual([]);
      expect(await visible()).toBeNull();
    });

    test('settles a stream at a stop of its worker where it was seen, and hands it back where it was not', async () => {
      const stopping = (part: string): [Generate, AbortController] => {
        const ending = new AbortController();
        const generate: Generate = async (_request, _signal, onPart) => {
          if (part !== '') {
            onPart?.(text(part));
            await untilFrames();
          }
          ending.abort('stopping' satisfies AbortReason);
          throw new ModelError('cancelled');
        };
        return [generate, ending];
      };
      const [unseen, first] = stopping('');
      expect(await processGeneration(deps(unseen), start({ signal: first.signal }))).toEqual({ kind: 'handed back' });
      const [seen, second] = stopping('Some ');
      expect(await processGeneration(deps(seen), start({ number: 2, signal: second.signal }))).toEqual({
        kind: 'done',
      });
      expect(await settled()).toMatchObject({ error: 'stream_broken' });
    });
  });

  describe('partial texts', () => {
    test('are kept while an answer grows, its followers are found and get frames and reply, and all of it is removed', async () => {
      const paragraph = 'All of this is long. '.repeat(120);
      const partial = redisKeys.partial(requestId, 'text');
      const followers = redisKeys.followers(requestId);
      const generate: Generate = async (_request, _signal, onPart) => {
        onPart?.(text('Begin. '));
        await untilFrames();
        await server.client.sadd(followers, other);
        onPart?.(text(`${paragraph}é🌐 `));
        await untilKept(partial, `Begin. ${paragraph}é🌐 `);
        expect(await server.client.pttl(partial)).toBeGreaterThan(0);
        onPart?.(text('More of it. '));
        await untilFrames('text', '', other);
        onPart?.(text(paragraph));
        await untilKept(partial, `Begin. ${paragraph}é🌐 More of it. ${paragraph}`);
        // Lost, as by an eviction: written anew with what comes next.
        await server.client.del(partial);
        onPart?.(text(paragraph));
        await untilKept(partial, `Begin. ${paragraph}é🌐 More of it. ${paragraph}${paragraph}`);
        return result();
      };
      await processGeneration(deps(generate), start());
      expect((await framesOf(other))[0]).toEqual([requestId, 1, 'text', 7 + paragraph.length + 4, 'More of it. ']);
      expect(await replyOf(other)).toEqual(await replyOf());
      expect((await replyOf(other)).settlement).toMatchObject({ outcome: 'answered', text: '' });
      expect(await server.client.exists(partial, followers)).toBe(0);
    });

    test('are written anew where Redis has a piece of them twice, and are not trusted by the settlement', async () => {
      const partial = redisKeys.partial(requestId, 'text');
      const paragraph = 'All of this is long. '.repeat(120);
      const twice = writeNumbered([{ number: 1, track: 'text', offset: 0, data: 'twice', goesOn: false }]);
      const kept: (string | null)[] = [];
      const generate: Generate = async (_request, _signal, onPart) => {
        onPart?.(text('Begin. '));
        await untilFrames();
        await server.client.append(redisKeys.streamJournal(worker), twice);
        onPart?.(text(paragraph));
        for (let whole = ''; whole !== `Begin. ${paragraph}`; whole = kept.at(-1) ?? '') {
          kept.push(await server.client.get(partial));
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        // Other text of the same length.
        await server.client.set(partial, 'x'.repeat(`Begin. ${paragraph}`.length));
        return result();
      };
      await processGeneration(deps(generate), start());
      // The truth, or the beginning of it.
      expect(kept.filter((one) => !`Begin. ${paragraph}`.startsWith(one ?? ''))).toEqual([]);
      expect(await settled()).toMatchObject({ outcome: 'answered', text: `Begin. ${paragraph}` });
      expect((await replyOf()).settlement).toMatchObject({ text: '', textLength: 7 + paragraph.length });
    });

    test('of a start that nobody could see are not kept: another one may run', async () => {
      await server.client.del(redisKeys.inbox(waiting));
      const dropped = () => registry.metrics().then((said) => /stream_partial_saves_total\S* [1-9]/.test(said));
      const generate: Generate = async (_request, _signal, onPart) => {
        onPart?.(text('word '.repeat(1_000)));
        while (!(await dropped())) await new Promise((resolve) => setTimeout(resolve, 5));
        throw new ModelError('connection');
      };
      expect(await processGeneration(deps(generate), start())).toMatchObject({ kind: 'again' });
      expect(await visible()).toBeNull();
      expect(await server.client.keys('{lontar}:partial:req_*')).toEqual([]);
    });

    test('of which it is not known whether it was seen leaves no number behind', async () => {
      const { live } = deps(inParts([], () => Promise.resolve()));
      const stream = live?.open({ job: job(), start: 1, masker: createMasker() });
      stream?.add(text('twelve chars '));
      await new Promise(setImmediate);
      expect(stream?.stream.standing).toBe('asked');
      stream?.close();
      await untilFrames();
      const numbers = redisKeys.streamNumbers(worker);
      expect(await server.client.hlen(numbers)).toBe(isNumbered() ? 1 : 0);
      while ((await server.client.hlen(numbers)) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    });

    async function untilKept(key: string, kept: string): Promise<void> {
      while ((await server.client.get(key)) !== kept) await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });

  describe('while Redis is in the way', () => {
    test('frames are dropped, the answer is made and settled, and the stored result is whole', async () => {
      const live = createLivePlane({
        worker: 'w',
        redis: new Proxy(server.client, {
          get: (redis, name) => (name === 'status' ? 'reconnecting' : Reflect.get(redis, name)),
        }),
        metrics,
        onRedisFailure: () => undefined,
      });
      const parts = ['one ', 'two ', 'three '].map(text);
      await processGeneration(
        deps(
          inParts(parts, () => new Promise((resolve) => setTimeout(resolve, 30))),
          { live },
        ),
        start(),
      );
      expect((await entriesOf()).map(([field]) => field)).toEqual(['id']);
      expect(await settled()).toMatchObject({ text: 'one two three ' });
      expect(await registry.metrics()).toMatch(
        /stream_frames_dropped_total\{reason="redis_away",service="worker"\} [1-9]/,
      );
    });

    test('an inbox that is half full takes no frames: replies are not displaced', async () => {
      await server.client.set(redisKeys.inboxBytes(waiting), String(40 * 1_048_576));
      await processGeneration(
        deps(async () => result({ text: 'whole' })),
        start(),
      );
      expect((await entriesOf()).map(([field]) => field)).toEqual(['id']);
      expect(await visible()).toBeNull();
    });
  });
});
