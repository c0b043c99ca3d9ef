import type { Answered, Failed, Settlement } from '@lontar/shared/settlement/settlement.ts';
import { type Answer, refuse } from '../envelope/answer.ts';
import type { EventSink, StreamEnd } from '../envelope/streamed-answer.ts';
import { AnswerReader, type ReaderDeps } from '../live/answer-reader.ts';
import type { AnswerTexts } from '../live/answer-stream.ts';
import type { HeldFrames } from '../live/held-frames.ts';
import type { StreamRendering } from '../live/stream-rendering.ts';
import { ANSWER_PREVIEW_CHARS } from './answer-settlement.ts';

/** One reader of an answer, be it the caller who asked for it or one who came later. */
export interface StreamRun {
  readonly requestId: string;
  readonly frames: HeldFrames;
  readonly form: StreamRendering;
  /** Where the reader came later: what there was of the answer. */
  readonly later?: AnswerTexts | 'to be found';
  /** Waits for the settlement; `service_unavailable` without `charged` where the request goes on without this gateway. */
  readonly settlement: () => Promise<Settlement>;
  /** The answer as it would be in one piece. */
  readonly answer: (settlement: Settlement) => Answer;
}

/**
 * Sends an answer as it grows. It ends as the request is settled; where that fails, or this gateway has no more time, with
 * an error: as an answer of its own while nothing was sent, else as the last event. Rejects only where `settlement` does.
 */
export async function runStream(deps: ReaderDeps, run: StreamRun, sink: EventSink): Promise<StreamEnd> {
  const { requestId, frames, form, later } = run;
  const keep = ANSWER_PREVIEW_CHARS + 1;
  const reader = new AnswerReader(deps, { requestId, from: form.from, sink, form, keep });
  if (later) void reader.follow(later === 'to be found' ? undefined : later);
  frames.handTo((frame) => reader.take(frame));
  try {
    return await endWith(run, sink, reader, await run.settlement());
  } finally {
    reader.close();
    frames.stop();
  }
}

async function endWith(
  { answer, form }: StreamRun,
  sink: EventSink,
  reader: AnswerReader,
  settlement: Settlement,
): Promise<StreamEnd> {
  if (settlement.outcome === 'answered') {
    const end = await reader.finish(settlement);
    // The log gets the beginning of the text, which the settlement of a stream does not hold.
    const told = answer({ ...settlement, text: reader.beginning } satisfies Answered);
    if (end !== 'missing') {
      return { kind: 'begun', last: form.done(told, settlement, reader.cursor), answer: told };
    }
    const broken = refuse('stream_broken', { report: { ...told.report, outcome: 'server_error' } });
    return endBroken(sink, form, broken);
  }
  const told = answer(settlement);
  const goesOn = sink.isBegun && isLeft(settlement);
  return endBroken(sink, form, goesOn ? resumable(told, form.howToResume(reader.cursor)) : told);
}

function endBroken({ isBegun }: EventSink, form: StreamRendering, answer: Answer): StreamEnd {
  if (!isBegun) return { kind: 'unbegun', answer };
  return { kind: 'begun', last: form.failure(answer), answer };
}

/** Whether the request of a stream goes on without this gateway, which has no more time: it is unsettled. */
function isLeft({ error, charged }: Failed): boolean {
  return error === 'service_unavailable' && charged === undefined;
}

/** The same with what the caller can do. */
function resumable({ headers, report }: Answer, message: string): Answer {
  const { generation: _, ...known } = report;
  return refuse('service_unavailable', { message, headers, report: known });
}
