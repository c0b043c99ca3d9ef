import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerBody } from './fake-answers.ts';

export interface StrictUpstreamOptions {
  readonly models: readonly string[];
  /** Without it no key is asked for. */
  readonly key?: string;
}

const OPEN_PATHS: ReadonlySet<string> = new Set(['/v1/chat/completions', '/v1/messages']);

/** An upstream that is as strict as real ones. */
export interface StrictUpstream {
  readonly port: number;
  /** For `OPENAI_BASE_URL`. */
  readonly openAiUrl: string;
  /** For `ANTHROPIC_BASE_URL`. */
  readonly anthropicUrl: string;
  /** For `GEMINI_BASE_URL`. */
  readonly geminiUrl: string;
  /** Models that answered, in order. */
  readonly asked: readonly string[];
  /** How often its list of models was asked for. */
  readonly lists: number;
  stop(): Promise<void>;
}

/**
 * Starts a local server of OpenAI's, Gemini's and Anthropic's protocols that knows its models and its key: it lists the former, and
 * refuses other names, keys and paths as real servers do.
 */
export async function startStrictUpstream({ models, key }: StrictUpstreamOptions): Promise<StrictUpstream> {
  const asked: string[] = [];
  let lists = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const json = (status: number, body: object) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'theirs-1' })
        .end(JSON.stringify(body));
    const path = request.url ?? '';
    const gemini = path.startsWith('/v1beta/');
    const { authorization, 'x-goog-api-key': ofGeminis = authorization?.replace(/^Bearer /, '') } = request.headers;
    const given = request.headers['x-api-key'] ?? ofGeminis;
    if (key !== undefined && given !== key) {
      return json(401, {
        error: { message: `Incorrect API key provided: ${String(given)}.`, code: 'invalid_api_key' },
      });
    }
    if (request.method === 'GET' && /^\/v1(?:beta)?\/models(?:\?|$)/.test(path)) {
      lists += 1;
      return json(200, gemini ? { models: models.map((name) => ({ name: `models/${name}` })) } : openAiList(models));
    }
    const ofGemini = /^\/v1beta\/models\/([^:/?]+):generateContent/.exec(path)?.[1];
    if (request.method !== 'POST' || (ofGemini === undefined && !OPEN_PATHS.has(path))) {
      return json(404, { error: { message: '404 page not found' } });
    }
    const model = ofGemini ?? (JSON.parse(text) as { model: string }).model;
    asked.push(model);
    const said = `${model} answers.`;
    if (models.includes(model) && path === '/v1/messages') return json(200, messageOf(model, said));
    if (models.includes(model)) return json(200, answerBody(gemini ? 'gemini' : 'openai', said));
    const message = gemini ? `models/${model} is not found for API version v1beta` : `model '${model}' not found`;
    return json(404, { error: { message, type: 'not_found_error', param: null, code: null } });
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    openAiUrl: `http://127.0.0.1:${port}/v1`,
    anthropicUrl: `http://127.0.0.1:${port}/v1`,
    geminiUrl: `http://127.0.0.1:${port}/v1beta`,
    asked,
    get lists() {
      return lists;
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function openAiList(models: readonly string[]) {
  return { object: 'list', data: models.map((id) => ({ id, object: 'model', created: 1, owned_by: 'local' })) };
}

/** As Anthropic's Messages protocol answers. */
function messageOf(model: string, text: string): object {
  const content = [{ type: 'text', text }];
  const usage = { input_tokens: 11, output_tokens: 7 };
  return { id: 'msg_1', type: 'message', role: 'assistant', model, content, stop_reason: 'end_turn', usage };
}
