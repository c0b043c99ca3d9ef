/** A job that BullMQ was given. */
export interface HeldJob {
  /** Its lock in Redis: a turn takes many jobs before BullMQ names a place for each. */
  readonly lock: string;
  /** Whether it goes when it is finished, as ours all do. */
  readonly isRemoved: boolean;
  /** It was finished with its settlement; BullMQ has not asked for that yet. */
  isFinished: boolean;
}

/** The jobs that a worker has in work, by the token of the place that BullMQ has given them: a lost job may come twice. */
export interface HeldJobs {
  hold(requestId: string, token: string, job: HeldJob): void;
  find(requestId: string, token: string): HeldJob | undefined;
  /** The lock in Redis; the token itself where the job is none of ours. */
  lockOf(requestId: string, token: string): string;
  release(requestId: string, token: string): void;
  readonly count: number;
}

export function createHeldJobs(): HeldJobs {
  const held = new Map<string, HeldJob>();
  const placeOf = (requestId: string, token: string) => `${token} ${requestId}`;
  return {
    hold: (requestId, token, job) => void held.set(placeOf(requestId, token), job),
    find: (requestId, token) => held.get(placeOf(requestId, token)),
    lockOf: (requestId, token) => held.get(placeOf(requestId, token))?.lock ?? token,
    release: (requestId, token) => void held.delete(placeOf(requestId, token)),
    get count() {
      return held.size;
    },
  };
}
