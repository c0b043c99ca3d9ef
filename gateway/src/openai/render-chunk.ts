import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import type { Answer } from '../envelope/answer.ts';
import { finishReason, renderUsage } from '../generation/answer-end.ts';
import type { CallPart } from '../live/answer-stream.ts';
import { BEGINNING, type Cursor, writeCursor } from '../live/cursor.ts';
import type { StreamRendering } from '../live/stream-rendering.ts';
import { completionId, createdAt } from './render-completion.ts';
import { renderError } from './render-error.ts';

const DONE = 'data: [DONE]\n\n';

interface ChunksOf {
  readonly requestId: string;
  readonly job: Pick<GenerationJob, 'model' | 'receivedAt'>;
}

/**
 * An answer as OpenAI streams it: `chat.completion.chunk` after chunk, the first with the role, the last with the reason of
 * the end; then the usage where it was asked for, and `[DONE]`. A chunk's event id says how much of the answer was sent.
 *
 * @param includeUsage `stream_options.include_usage`: without it no chunk may have empty choices, which clients die of
 * @param from what the caller has already
 */
export function chatChunks(
  { requestId, job }: ChunksOf,
  includeUsage: boolean,
  from: Cursor = BEGINNING,
): StreamRendering {
  const id = completionId(requestId);
  const about = { id, object: 'chat.completion.chunk', created: createdAt(job), model: job.model };
  const head = JSON.stringify(about).slice(0, -1);
  const usage = includeUsage ? ',"usage":null' : '';
  let isFirst = true;

  /** A chunk with these fields, JSON, in its delta. */
  function chunk(fields: string, eventId?: string): string {
    const role = isFirst ? '"role":"assistant",' : '';
    isFirst = false;
    const named = eventId === undefined ? '' : `id: ${eventId}\n`;
    const choice = `{"index":0,"delta":{${role}${fields}},"logprobs":null,"finish_reason":null}`;
    return `${named}data: ${head},"choices":[${choice}]${usage}}\n\n`;
  }

  const eventId = (cursor: Cursor) => `${id}:${writeCursor(cursor)}`;
  return {
    from,
    reasoning: (text, cursor) => chunk(`"reasoning_content":${JSON.stringify(text)}`, eventId(cursor)),
    text: (text, cursor) => chunk(`"content":${JSON.stringify(text)}`, eventId(cursor)),
    refusal(text, cursor) {
      const content = isFirst ? '"content":null,' : '';
      return chunk(`${content}"refusal":${JSON.stringify(text)}`, eventId(cursor));
    },
    call(part, cursor) {
      const content = isFirst ? '"content":null,' : '';
      const fields = `${content}"tool_calls":[${JSON.stringify(renderCallPart(part))}]`;
      // Who goes on in the midst of a call gets that call anew.
      return chunk(fields, cursor.calls > part.index ? eventId(cursor) : undefined);
    },
    done(_answer, settlement) {
      const first = isFirst ? chunk('"content":""') : '';
      const end = { index: 0, delta: {}, logprobs: null, finish_reason: finishReason(settlement) };
      const lontar = JSON.stringify({ masked: settlement.masked });
      const last = `data: ${head},"choices":[${JSON.stringify(end)}]${usage},"lontar":${lontar}}\n\n`;
      if (!includeUsage) return first + last + DONE;
      const used = JSON.stringify(renderUsage(settlement.usage));
      return `${first}${last}data: ${head},"choices":[],"usage":${used}}\n\n${DONE}`;
    },
    failure: (answer) => `data: ${JSON.stringify(errorOf(answer))}\n\n${DONE}`,
    howToResume: ({ text }) =>
      `This gateway stops, and the answer goes on: GET /v1/chat/completions/${id}?stream=true&starting_after=${text} gives the rest.`,
  };
}

function errorOf({ problem, body }: Answer): unknown {
  return problem === undefined ? body : renderError(problem).body;
}

function renderCallPart({ index, call, arguments: text }: CallPart) {
  if (call === undefined) return { index, function: { arguments: text } };
  return { index, id: call.id, type: 'function', function: { name: call.name, arguments: text } };
}
