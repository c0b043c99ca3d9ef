import { REDIS_AWAY_MS, WORKER_GONE_MS } from '@lontar/shared/time-budget.ts';

/** A worker on whose channel no connection listens. */
export interface UnheardWorker {
  readonly name: string;
  /** What it has last said of itself, with its place: where that changes, it is there all the same. */
  readonly said: string;
}

/** When a look was sent and answered, by this machine's monotonic clock, ms. */
export interface LookTimes {
  readonly sentAt: number;
  readonly answeredAt: number;
}

export interface UnheardJudge {
  /** Notes what a look has found. @returns those that are gone: unheard and silent for `WORKER_GONE_MS` on end */
  note(unheard: readonly UnheardWorker[], look: LookTimes): UnheardWorker[];
  /** Whether the latest look has found one that may be gone. */
  readonly isWary: boolean;
  /** Whether Redis has been seen to serve for so long on end that a worker that is well has made new connections. */
  readonly isSteady: boolean;
}

/**
 * Tells workers that are gone from those that make a new connection. A worker that is well does so within `WORKER_GONE_MS`, but
 * only while Redis serves. So nothing but time counts in which this worker has seen Redis serve, by answers to its own looks:
 * after a pause of Redis, of this process or of the machine, the count begins anew. No clock of Redis's is asked, which
 * goes on while Redis stands still.
 */
export function judgeUnheard(): UnheardJudge {
  let since = new Map<string, { readonly said: string; readonly at: number }>();
  let lastAnswerAt = Number.NEGATIVE_INFINITY;
  let servesSince = 0;
  let isSteady = false;
  return {
    note(unheard, { sentAt, answeredAt }) {
      const isAfterPause = answeredAt - lastAnswerAt > REDIS_AWAY_MS;
      lastAnswerAt = answeredAt;
      if (isAfterPause) servesSince = answeredAt;
      isSteady = sentAt - servesSince >= WORKER_GONE_MS;
      const before = isAfterPause ? new Map<string, never>() : since;
      since = new Map(
        unheard.map(({ name, said }) => {
          const first = before.get(name);
          return [name, first?.said === said ? first : { said, at: answeredAt }];
        }),
      );
      // Redis has looked after the look was sent, however late its answer was read.
      return unheard.filter(({ name }) => sentAt - (since.get(name)?.at ?? sentAt) >= WORKER_GONE_MS);
    },
    get isWary() {
      return since.size > 0;
    },
    get isSteady() {
      return isSteady;
    },
  };
}
