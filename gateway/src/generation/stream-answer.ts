import type { GatewayMetrics, LeftJob } from '@lontar/shared/gateway-metrics.ts';
import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { Answered, Failed, Settlement } from '@lontar/shared/settlement/settlement.ts';
import type { Admission } from '../admission/admit.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { type Answer, refuse } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import type { EventSink, StreamEnd, StreamedAnswer } from '../envelope/streamed-answer.ts';
import type { Inbox } from '../inbox/inbox.ts';
import type { Waiting } from '../inbox/waiters.ts';
import { AnswerReader, type ReaderDeps } from '../live/answer-reader.ts';
import type { HeldFrames } from '../live/held-frames.ts';
import type { StreamRendering } from '../live/stream-rendering.ts';
import { ANSWER_PREVIEW_CHARS } from './answer-settlement.ts';
import { type AwaitDeps, awaitSettlement } from './await-settlement.ts';

export interface StreamDeps extends AwaitDeps {
  readonly inbox: Inbox;
  readonly clock: RedisClock;
  readonly live: ReaderDeps;
  readonly metrics: Pick<GatewayMetrics, 'streamDisconnects'>;
}

/** An admitted request whose answer is to be sent as it grows. */
export interface StreamInput {
  readonly context: RequestContext;
  readonly job: Pick<GenerationJob, 'keyId' | 'deadlineAt'>;
  readonly admission: Admission;
  readonly waiting: Waiting;
  readonly frames: HeldFrames;
  readonly form: StreamRendering;
  /** The answer as it would be in one piece. */
  readonly answer: (settlement: Settlement) => Answer;
}

/**
 * Sends the answer of an admitted request as it grows. It ends as the request is settled; where that fails, or this gateway
 * has no more time, with an error: as an answer of its own while nothing was sent, else as the last event.
 */
export function streamAnswer(deps: StreamDeps, input: StreamInput): StreamedAnswer {
  const { context, job, frames } = input;
  return {
    headers: rateLimitHeaders(input.admission),
    async run(sink) {
      const { form, waiting } = input;
      const requestId = context.id;
      const reader = new AnswerReader(deps.live, {
        requestId,
        from: form.from,
        sink,
        form,
        keep: ANSWER_PREVIEW_CHARS + 1,
      });
      frames.handTo((frame) => reader.take(frame));
      try {
        const settlement = await awaitSettlement(deps, {
          requestId,
          keyId: job.keyId,
          reply: waiting.reply,
          gone: context.gone,
          onDisconnect: input.admission.onDisconnect,
          waitMs: job.deadlineAt - deps.clock.now(),
          isBegun: () => sink.isBegun,
          hasOtherReaders: () => hasOtherReaders(deps, requestId),
        });
        const end = await endWith(input, sink, reader, settlement);
        if (sink.isOver && sink.isBegun) deps.metrics.streamDisconnects.inc({ job: fateOf(settlement) });
        return end;
      } finally {
        reader.close();
        frames.stop();
        waiting.forget();
      }
    },
  };
}

async function endWith(
  { answer, form }: Pick<StreamInput, 'answer' | 'form'>,
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

async function hasOtherReaders({ inbox, redis, onRedisFailure }: StreamDeps, requestId: string): Promise<boolean> {
  if (inbox.readersOf(requestId) > 1) return true;
  try {
    return (await redis.scard(redisKeys.followers(requestId))) > 0;
  } catch (error) {
    onRedisFailure(error);
    return false;
  }
}

/** What became of the job of a caller who left in mid-stream. */
function fateOf(settlement: Settlement): LeftJob {
  if (settlement.outcome === 'answered') return 'finished';
  if (settlement.charged === undefined) return 'open';
  if (settlement.error !== 'client_closed') return 'failed';
  return settlement.charged ? 'stopped' : 'taken_out';
}
