import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UPSTREAM_WORDS } from './fake-answers.ts';
import type { Behaviour, FakeBehaviour, FakeCall } from './fake-behaviour.ts';
import { perform, wasEndedByUs } from './fake-performance.ts';

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

async function readCall(request: IncomingMessage, response: ServerResponse): Promise<FakeCall | undefined> {
  const path = request.url ?? '';
  const gemini = /^\/v1beta\/models\/([^:/?]+):(g|streamG)enerateContent(?:\?|$)/.exec(path);
  if (request.method !== 'POST' || (!gemini && !/^\/v1\/chat\/completions(?:\?|$)/.test(path))) return undefined;
  let aborted = false;
  const whenAborted = new Promise<void>((resolve) => {
    response.once('close', () => {
      aborted = !response.writableFinished && !wasEndedByUs(response);
      if (aborted) resolve();
    });
  });
  let text = '';
  try {
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
  } catch {
    // A client that left at once has asked all the same, where all that it asked is here.
  }
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
