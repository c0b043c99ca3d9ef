import type { Response } from 'express';
import type { Answer } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import type { StreamedAnswer } from '../envelope/streamed-answer.ts';
import {
  type ConcludeDeps,
  concludeAnswer,
  concludeLeft,
  ignored,
  inProtocol,
  recordEvent,
  withMessage,
} from './conclude.ts';
import type { EventStreams } from './event-streams.ts';

/**
 * Sends an answer as it grows, and ends its request as `concludeAnswer` does: it is reported to the statistics before its
 * last events go out. One that failed before its first event is an answer like any other.
 */
export async function concludeStream(
  { conclude, streams }: { readonly conclude: ConcludeDeps; readonly streams: EventStreams },
  path: string,
  response: Response,
  context: RequestContext,
  answer: StreamedAnswer,
): Promise<void> {
  const inOwnProtocol = (given: Answer) => inProtocol(conclude, response, context, given);
  const stream = streams.open(
    response,
    context,
    inOwnProtocol({ ...BARE, headers: { ...answer.headers, ...ignored(context) } }).headers,
  );
  const end = await answer.run(stream);
  if (end.kind === 'unbegun') {
    // Its report takes a moment, in which the head would go out where the stream was silent for long.
    stream.giveUp();
    return concludeAnswer(conclude, path, response, context, end.answer);
  }
  const { report } = end.answer;
  if (context.gone.isGone) return concludeLeft(conclude, path, context, report);
  const told = inOwnProtocol(end.answer);
  await recordEvent(conclude, path, context, told.status, withMessage({ ...told, report }));
  stream.end(end.last);
}

/** What the head of a stream needs of an answer: each protocol has headers of its own for the limits. */
const BARE = { status: 200, body: undefined, report: { outcome: 'success' } } as const;
