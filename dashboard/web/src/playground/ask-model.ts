import { type Body, isChat, type Settings } from './call.ts';
import { type Answer, addBody, addEvent, NO_ANSWER, type Problem, readRefusal } from './grow-answer.ts';
import { BadStream, readEvents } from './read-events.ts';

/** Most bytes of an answer that comes in one piece. */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * Sends a request as callers do, with the key alone: no cookie of the operator's goes with it. Never rejects: what goes
 * wrong is the answer's problem, and a stop leaves what has come.
 *
 * @param signal stops it, and so the work on it
 * @param onGrown called with the answer as far as it has come
 */
export async function askModel(
  settings: Settings,
  body: Body,
  signal: AbortSignal,
  onGrown: (answer: Answer) => void,
): Promise<Answer> {
  const start = performance.now();
  const ms = () => Math.round(performance.now() - start);
  let answer = NO_ANSWER;
  const failed = (problem: Problem): Answer => ({ ...answer, state: 'failed', ms: ms(), problem });
  try {
    const { endpoint, key } = settings;
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
      credentials: 'omit',
      signal,
    });
    const { status, headers } = response;
    const requestId = headers.get('x-request-id');
    if (requestId !== null) answer = { ...answer, requestId };
    if (!response.ok) return failed(readRefusal(status, await readText(response), headers));
    if (!isChat(settings)) return addBody(answer, await readText(response), headers, ms());
    if (response.body === null) return failed(BROKEN);
    for await (const data of readEvents(response.body)) {
      answer = addEvent(answer, data, ms());
      if (answer.state === 'whole' || answer.state === 'failed') return answer;
      onGrown(answer);
    }
    return failed(BROKEN);
  } catch (error) {
    if (signal.aborted) return { ...answer, state: 'stopped', ms: ms() };
    return failed(error instanceof BadStream ? { code: 'unreadable', message: error.message } : NO_REPLY);
  }
}

const BROKEN: Problem = { code: 'broken_off', message: 'The answer broke off before its end.' };
const NO_REPLY: Problem = { code: 'no_answer', message: 'The server does not answer.' };

/** The body as text, of which no more is held than an answer may have. */
async function readText({ body }: Response): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let bytes = 0; bytes <= MOST_BYTES; ) {
      const { done, value } = await reader.read();
      text += decoder.decode(value, { stream: !done });
      if (done) return text;
      bytes += value.length;
    }
    throw new BadStream('The answer is longer than this page reads.');
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
