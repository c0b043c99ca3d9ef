import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the upstream has got. */
export interface MessagesCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  /** Resolves when the caller's end of the connection is gone before the answer was complete. */
  readonly left: Promise<void>;
}

/** What one call is answered with. */
export type MessagesReply = (response: ServerResponse, call: MessagesCall) => void;

/** A local server of Anthropic's Messages protocol: it does what the test says, call by call. */
export interface MessagesUpstream {
  readonly url: string;
  readonly calls: readonly MessagesCall[];
  /** Queues what the next calls are answered with; without any, calls get a short answer. */
  queue(...replies: MessagesReply[]): void;
  stop(): Promise<void>;
}

/** Starts the upstream on a free port. */
export async function startMessagesUpstream(): Promise<MessagesUpstream> {
  const calls: MessagesCall[] = [];
  const queued: MessagesReply[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    request.once('end', () => {
      const left = new Promise<void>((resolve) => {
        response.once('close', () => {
          if (!response.writableFinished) resolve();
        });
      });
      const body = JSON.parse(text) as Record<string, unknown>;
      const call = { path: request.url ?? '', headers: request.headers, body, left };
      calls.push(call);
      (queued.shift() ?? answerWith([{ type: 'text', text: 'Hello.' }]))(response, call);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    queue: (...replies) => void queued.push(...replies),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A whole answer of these blocks. */
export function answerWith(content: readonly object[], more: object = {}): MessagesReply {
  const usage = { input_tokens: 7, output_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', stop_reason: 'end_turn', usage, content, ...more };
  return json(200, message);
}

/** A refusal, as the protocol says it. */
export function refuseWith(
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): MessagesReply {
  return json(status, { type: 'error', error: { type, message }, request_id: 'req_upstream' }, headers);
}

/** Events, one write each; `open` leaves the response without an end. */
export function eventsOf(events: readonly object[], end: 'whole' | 'cut' | 'open' = 'whole'): MessagesReply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const event of events) {
      response.write(`event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    if (end === 'whole') response.end();
    if (end === 'cut') setImmediate(() => response.destroy());
  };
}

function json(status: number, body: object, headers: Record<string, string> = {}): MessagesReply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}
