import type { GatewayMetrics, LeftJob } from '@lontar/shared/gateway-metrics.ts';
import type { GenerationJob } from '@lontar/shared/generation-job.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import type { Admission } from '../admission/admit.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import type { Answer } from '../envelope/answer.ts';
import type { RequestContext } from '../envelope/request-context.ts';
import type { StreamedAnswer } from '../envelope/streamed-answer.ts';
import type { Inbox } from '../inbox/inbox.ts';
import type { Waiting } from '../inbox/waiters.ts';
import type { ReaderDeps } from '../live/answer-reader.ts';
import type { HeldFrames } from '../live/held-frames.ts';
import type { StreamRendering } from '../live/stream-rendering.ts';
import { type AwaitDeps, awaitSettlement } from './await-settlement.ts';
import { runStream } from './run-stream.ts';

export interface StreamDeps extends AwaitDeps {
  /** Instance id of this gateway. */
  readonly gateway: string;
  readonly inbox: Inbox;
  readonly clock: RedisClock;
  readonly live: ReaderDeps;
  readonly metrics: Pick<GatewayMetrics, 'streamDisconnects'>;
}

/** An admitted request whose answer is to be sent as it grows. */
export interface StreamInput {
  readonly context: RequestContext;
  readonly job: Pick<GenerationJob, 'keyId' | 'deadlineAt' | 'model'>;
  readonly admission: Admission;
  readonly waiting: Waiting;
  readonly frames: HeldFrames;
  readonly form: StreamRendering;
  /** The answer as it would be in one piece. */
  readonly answer: (settlement: Settlement) => Answer;
}

/** Sends the answer of an admitted request as it grows, see `runStream`. A caller who leaves has the work stopped. */
export function streamAnswer(deps: StreamDeps, input: StreamInput): StreamedAnswer {
  const { context, job, waiting } = input;
  const requestId = context.id;
  return {
    headers: { ...rateLimitHeaders(input.admission), 'X-Model': job.model },
    async run(sink) {
      let settled: Settlement | undefined;
      const settlement = async () => {
        settled = await awaitSettlement(deps, {
          requestId,
          keyId: job.keyId,
          reply: waiting.reply,
          gone: context.gone,
          onDisconnect: input.admission.onDisconnect,
          waitMs: job.deadlineAt - deps.clock.now(),
          isBegun: () => sink.isBegun,
          hasOtherReaders: () => hasOtherReaders(deps, requestId),
        });
        return settled;
      };
      try {
        return await runStream(deps.live, { ...input, requestId, settlement }, sink);
      } finally {
        if (settled && sink.isOver && sink.isBegun) deps.metrics.streamDisconnects.inc({ job: fateOf(settled) });
        waiting.forget();
      }
    },
  };
}

async function hasOtherReaders(deps: StreamDeps, requestId: string): Promise<boolean> {
  const { inbox, redis, gateway, onRedisFailure } = deps;
  if (inbox.readersOf(requestId) > 1) return true;
  try {
    // One who came back to this gateway, and left before this one, has made it a follower: readers here are counted above.
    return (await redis.smembers(redisKeys.followers(requestId))).some((follower) => follower !== gateway);
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
