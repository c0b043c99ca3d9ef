import type { ServerResponse } from 'node:http';
import { type StreamWish, streamTokens } from './wish.ts';

/** When each token of a stream was sent, Unix ms with fractions, by the stream's name; asked for once. */
const sentAt = new Map<string, number[]>();
/** Streams that nobody asks about must not fill memory. */
const MOST_KEPT = 20_000;
/** A timer for each stream would fire late among a thousand others; what is due by then is sent together. */
const LEAST_PAUSE_MS = 1;

/** Sends a stream in the form of OpenAI's chunks, each token as its own chunk at its own time. */
export function sendStream(
  response: ServerResponse,
  { tokens, tokensPerSecond, firstMs, name }: StreamWish & { name: string },
): void {
  const texts = streamTokens(tokens);
  const times: number[] = [];
  if (sentAt.size < MOST_KEPT) sentAt.set(name, times);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const startedAt = performance.now();
  let sent = 0;
  let hasBegun = false;
  const dueAt = (index: number) =>
    startedAt + firstMs + (tokensPerSecond === 0 ? 0 : (index * 1_000) / tokensPerSecond);
  const sendDue = (): void => {
    if (response.destroyed) return;
    const now = performance.now();
    let wire = '';
    while (sent < tokens && dueAt(sent) <= now) {
      wire += tokenChunk(texts[sent] ?? '');
      times.push(performance.timeOrigin + performance.now());
      sent++;
    }
    if (sent < tokens) {
      if (wire !== '') send(response, wire, hasBegun);
      hasBegun ||= wire !== '';
      setTimeout(sendDue, Math.max(LEAST_PAUSE_MS, dueAt(sent) - performance.now()));
      return;
    }
    response.end(`${wire}${chunk({}, 'stop')}data: {"choices":[],"usage":${usage(tokens)}}\n\ndata: [DONE]\n\n`);
  };
  setTimeout(sendDue, firstMs);
}

/** As one string that goes out by one write: the upstream shares its processors with those who are measured. */
function send(response: ServerResponse, wire: string, hasBegun: boolean): void {
  // The first goes with the head, which Node writes. All ASCII.
  if (hasBegun) response.socket?.write(`${wire.length.toString(16)}\r\n${wire}\r\n`, 'latin1');
  else response.write(wire);
}

/** When the tokens of a stream were sent; forgotten with the answer. */
export function takeTimes(name: string): readonly number[] {
  const times = sentAt.get(name) ?? [];
  sentAt.delete(name);
  return times;
}

const made = new Map<string, string>();

/** The text has a hundred tokens or so, which come again and again. */
function tokenChunk(content: string): string {
  const known = made.get(content);
  if (known !== undefined) return known;
  const wire = chunk({ content });
  made.set(content, wire);
  return wire;
}

function chunk(delta: Readonly<Record<string, string>>, finishReason: string | null = null): string {
  const choice = { index: 0, delta, finish_reason: finishReason };
  return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice] })}\n\n`;
}

function usage(tokens: number): string {
  return `{"prompt_tokens":10,"completion_tokens":${tokens},"total_tokens":${tokens + 10}}`;
}
