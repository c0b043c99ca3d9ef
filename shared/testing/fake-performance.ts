import type { ServerResponse } from 'node:http';
import { answerBody, blockedBody, errorBody, type Protocol, UPSTREAM_WORDS, usedUpBody } from './fake-answers.ts';
import type { FakeBehaviour, FakeCall } from './fake-behaviour.ts';
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

/** Responses whose connection the fake upstream itself ended before they were complete. */
const endedByUs = new WeakSet<ServerResponse>();

/** Whether the fake upstream itself ended a connection before its response was complete. */
export function wasEndedByUs(response: ServerResponse): boolean {
  return endedByUs.has(response);
}

/**
 * Answers one call as it is to be treated.
 *
 * @throws where a test asks for a behaviour that there is none of, and when the response breaks
 */
export async function perform(call: FakeCall, behaviour: FakeBehaviour, response: ServerResponse): Promise<void> {
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
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<h1>${UPSTREAM_WORDS}</h1>`);
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
