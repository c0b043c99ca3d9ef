import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  answerBody,
  blockedBody,
  errorBody,
  type FakeToolCall,
  type Protocol,
  UPSTREAM_WORDS,
  usedUpBody,
} from './fake-answers.ts';
import {
  delayWhileOpen,
  drip,
  dripEvents,
  sendHuge,
  streamAnswer,
  streamError,
  streamHalf,
  streamHuge,
} from './slow-answers.ts';

/** How the fake upstream treats one call. */
export type FakeBehaviour =
  | {
      readonly kind: 'answer';
      readonly text: string;
      readonly delayMs?: number;
      /** In OpenAI's words; said in Gemini's words to who speaks Gemini's protocol. Default `stop`. */
      readonly finishReason?: 'stop' | 'length' | 'content_filter' | (string & {});
      readonly usage?: { readonly input: number; readonly output: number };
      readonly reasoning?: string;
      readonly toolCalls?: readonly FakeToolCall[];
      /** Of a stream: between two events, ms. */
      readonly paceMs?: number;
      /** Of a stream: UTF-16 units in each event. Default 4. */
      readonly pieceLength?: number;
    }
  /** A stream that begins well and then says that it failed. */
  | { readonly kind: 'error-event'; readonly error?: object }
  /** Bytes as they are. */
  | {
      readonly kind: 'raw';
      readonly status?: number;
      /** Default `text/event-stream`. */
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly pieces: readonly (string | Uint8Array)[];
      /** Between two pieces, ms. */
      readonly paceMs?: number;
      /** `cut`: the connection ends without the end of the response; `open`: nothing follows. Default `whole`. */
      readonly end?: 'whole' | 'cut' | 'open';
    }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Text as it is, anything else as JSON; by default an error in the words of the protocol. */
      readonly body?: unknown;
    }
  /** Reads the request and resets the connection. */
  | 'reset'
  /** Reads the request and says nothing, ever. */
  | 'hang'
  /** Sends an answer that never ends, one byte now and then, so that no idle timer runs out. */
  | 'drip'
  /** 200 with HTML. */
  | 'garbage'
  /** 200 with an answer whose text is empty. */
  | 'empty'
  /** 200 with what a reasoning model says that used all its output tokens before any text. */
  | 'used-up'
  /** 200 with what the protocol says when a safety filter stopped everything. */
  | 'blocked'
  /** 200 with 50 MB of answer, streamed without a length. */
  | 'huge'
  /** 200 with a length, half of the answer, and the end of the connection. */
  | 'half'
  /** 200 with an answer written, and declared, in ISO 8859-1. */
  | 'wrong-charset';

export interface FakeCall {
  readonly protocol: Protocol;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed JSON body. */
  readonly body: Record<string, unknown>;
  readonly model: string;
  readonly system: string | undefined;
  readonly prompt: string;
  /** Whether it asks for a stream. */
  readonly isStream: boolean;
  /** The client's port: each connection has its own. */
  readonly clientPort: number | undefined;
  /** When its body had arrived, Unix ms. */
  readonly at: number;
  /** Whether the client closed the connection before the answer was complete; changes when it does. */
  readonly aborted: boolean;
  /** Resolves when the client closes the connection before the answer is complete. */
  readonly whenAborted: Promise<void>;
}

type Behaviour = FakeBehaviour | ((call: FakeCall) => FakeBehaviour | Promise<FakeBehaviour>);

export interface FakeUpstream {
  readonly port: number;
  /** For `OPENAI_BASE_URL`. */
  readonly openAiUrl: string;
  /** For `GEMINI_BASE_URL`. */
  readonly geminiUrl: string;
  /** All calls in the order of their arrival. */
  readonly calls: readonly FakeCall[];
  /** Sets what happens to every call for which nothing is queued. */
  behave(behaviour: Behaviour): void;
  /** Queues what happens to the next calls, one behaviour each. */
  queue(...behaviours: Behaviour[]): void;
  /** The oldest call that no `nextCall` has given yet, or the next one to arrive. */
  nextCall(): Promise<FakeCall>;
  /** Forgets calls, queued behaviours and waiting `nextCall`s; `behave` stays. */
  reset(): void;
  /** Ends all connections. */
  stop(): Promise<void>;
}

/** Appears in everything that the fake upstream says of itself; no client of Lontar may ever see it. */
export const UPSTREAM_CANARY = UPSTREAM_WORDS;

const DEFAULT_BEHAVIOUR: FakeBehaviour = { kind: 'answer', text: 'An answer of the fake upstream.' };

/**
 * Starts a local server that speaks OpenAI's `/v1/chat/completions` and Gemini's `models/{model}:generateContent`.
 *
 * @param host where it listens; containers reach it on all interfaces alone
 */
export async function startFakeUpstream(
  behaviour: Behaviour = DEFAULT_BEHAVIOUR,
  host: '127.0.0.1' | '0.0.0.0' = '127.0.0.1',
): Promise<FakeUpstream> {
  let usual = behaviour;
  let queued: Behaviour[] = [];
  let calls: FakeCall[] = [];
  let given = 0;
  let waiting: ((call: FakeCall) => void)[] = [];

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const call = await readCall(request, response);
    if (call === undefined) {
      response.writeHead(404).end(UPSTREAM_CANARY);
      return;
    }
    calls.push(call);
    const waiter = waiting.shift();
    if (waiter) {
      given += 1;
      waiter(call);
    }
    const next = queued.shift() ?? usual;
    await perform(call, typeof next === 'function' ? await next(call) : next, response);
  };
  const server = createServer((request, response) => {
    // A client that leaves while it still sends is no failure of the test.
    handle(request, response).catch(() => response.destroy());
  });
  // A client that keeps connections alive must not meet one that closes while it writes.
  server.keepAliveTimeout = 60_000;
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    openAiUrl: `http://127.0.0.1:${port}/v1`,
    geminiUrl: `http://127.0.0.1:${port}/v1beta`,
    get calls() {
      return calls;
    },
    behave: (next) => {
      usual = next;
    },
    queue: (...behaviours) => {
      queued.push(...behaviours);
    },
    nextCall() {
      const call = calls[given];
      if (call === undefined) return new Promise((resolve) => waiting.push(resolve));
      given += 1;
      return Promise.resolve(call);
    },
    reset() {
      calls = [];
      queued = [];
      waiting = [];
      given = 0;
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Responses whose connection the fake upstream itself ended before they were complete. */
const endedByUs = new WeakSet<ServerResponse>();

async function readCall(request: IncomingMessage, response: ServerResponse): Promise<FakeCall | undefined> {
  const path = request.url ?? '';
  const gemini = /^\/v1beta\/models\/([^:/?]+):(g|streamG)enerateContent(?:\?|$)/.exec(path);
  if (request.method !== 'POST' || (!gemini && !/^\/v1\/chat\/completions(?:\?|$)/.test(path))) return undefined;
  let aborted = false;
  const whenAborted = new Promise<void>((resolve) => {
    response.once('close', () => {
      aborted = !response.writableFinished && !endedByUs.has(response);
      if (aborted) resolve();
    });
  });
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const body = JSON.parse(text) as Record<string, unknown>;
  return {
    protocol: gemini ? 'gemini' : 'openai',
    path,
    headers: request.headers,
    body,
    ...(gemini ? readGemini(body, decodeURIComponent(gemini[1] ?? '')) : readOpenAi(body)),
    isStream: gemini ? gemini[2] === 'streamG' : body['stream'] === true,
    clientPort: request.socket.remotePort,
    at: Date.now(),
    get aborted() {
      return aborted;
    },
    whenAborted,
  };
}

interface GeminiContent {
  readonly parts?: readonly { readonly text?: string }[];
}

function readGemini(body: Record<string, unknown>, model: string) {
  const { systemInstruction, contents } = body as {
    systemInstruction?: GeminiContent;
    contents?: readonly GeminiContent[];
  };
  const textOf = (content: GeminiContent | undefined) => content?.parts?.map((part) => part.text ?? '').join('');
  return { model, system: textOf(systemInstruction), prompt: textOf(contents?.at(-1)) ?? '' };
}

function readOpenAi(body: Record<string, unknown>) {
  const { model = '', messages = [] } = body as {
    model?: string;
    messages?: readonly { readonly role: string; readonly content: string }[];
  };
  const contentOf = (role: string) => messages.findLast((message) => message.role === role)?.content;
  return { model, system: contentOf('system'), prompt: contentOf('user') ?? '' };
}

async function perform(call: FakeCall, behaviour: FakeBehaviour, response: ServerResponse): Promise<void> {
  const { protocol } = call;
  const json = (status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
  if (typeof behaviour === 'object') {
    if (behaviour.kind === 'status') return sendStatus(protocol, behaviour, response);
    if (behaviour.kind === 'raw') return sendRaw(behaviour, response);
    if (behaviour.kind === 'error-event') return streamError(protocol, behaviour.error ?? {}, response);
    if (behaviour.delayMs) await delayWhileOpen(behaviour.delayMs, response);
    if (call.isStream) return streamAnswer(behaviour, { ...streamOptions(call), paceMs: behaviour.paceMs }, response);
    json(200, answerBody(protocol, behaviour.text, behaviour.finishReason, behaviour.usage, behaviour));
    return;
  }
  if (call.isStream && (await performStream(call, behaviour, response))) return;
  switch (behaviour) {
    case 'reset':
      endedByUs.add(response);
      response.socket?.resetAndDestroy();
      return;
    case 'hang':
      return;
    case 'drip':
      return drip(response);
    case 'garbage':
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>${UPSTREAM_CANARY}</h1>`);
      return;
    case 'empty':
      json(200, answerBody(protocol, ''));
      return;
    case 'used-up':
      json(200, usedUpBody(protocol));
      return;
    case 'blocked':
      json(200, blockedBody(protocol));
      return;
    case 'huge':
      return sendHuge(protocol, response);
    case 'half':
      return sendHalf(protocol, response);
    case 'wrong-charset':
      response
        .writeHead(200, { 'content-type': 'application/json; charset=iso-8859-1' })
        .end(Buffer.from(JSON.stringify(answerBody(protocol, WRONG_CHARSET_TEXT)), 'latin1'));
      return;
    default:
      throw new Error(`Unknown behaviour: ${String(behaviour satisfies never)}`);
  }
}

/** @returns whether the behaviour is another one in a stream */
async function performStream(call: FakeCall, behaviour: FakeBehaviour, response: ServerResponse): Promise<boolean> {
  switch (behaviour) {
    case 'drip':
      dripEvents(response);
      return true;
    case 'huge':
      await streamHuge(call.protocol, response);
      return true;
    case 'half':
      endedByUs.add(response);
      streamHalf(call.protocol, response);
      return true;
    case 'empty':
      await streamAnswer({ text: '' }, streamOptions(call), response);
      return true;
    case 'used-up':
      await streamAnswer(
        { text: '', reasoning: 'First I think.', finishReason: 'length' },
        streamOptions(call),
        response,
      );
      return true;
    case 'blocked':
      await streamAnswer({ text: '', finishReason: 'content_filter' }, streamOptions(call), response);
      return true;
    default:
      return false;
  }
}

function streamOptions({ protocol, body }: FakeCall) {
  const { stream_options: options } = body as { stream_options?: { include_usage?: boolean } };
  return { protocol, withUsage: options?.include_usage === true };
}

async function sendRaw(
  { status = 200, contentType = 'text/event-stream', headers, pieces, paceMs, end = 'whole' }: RawBehaviour,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(status, { 'content-type': contentType, ...headers }).flushHeaders();
  for (const piece of pieces) {
    response.write(piece);
    if (paceMs) await delayWhileOpen(paceMs, response);
  }
  if (end === 'whole') response.end();
  if (end !== 'cut') return;
  endedByUs.add(response);
  // What was written goes first.
  response.write('', () => response.socket?.end());
}

type RawBehaviour = Extract<FakeBehaviour, { kind: 'raw' }>;

/** What `wrong-charset` answers. */
export const WRONG_CHARSET_TEXT = 'Café crème à la carte.';

function sendStatus(
  protocol: Protocol,
  { status, headers, body }: Extract<FakeBehaviour, { kind: 'status' }>,
  response: ServerResponse,
): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(typeof body === 'string' ? body : JSON.stringify(body ?? errorBody(protocol, status)));
}

function sendHalf(protocol: Protocol, response: ServerResponse): void {
  const whole = JSON.stringify(answerBody(protocol, 'The first half, and the second one, which never comes.'));
  endedByUs.add(response);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(whole) });
  response.write(whole.slice(0, whole.length / 2), () => response.socket?.end());
}
