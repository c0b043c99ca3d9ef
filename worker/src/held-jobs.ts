import type { LockedStart } from './recovery/job-locks.ts';

/** A job that BullMQ was given; its lock in Redis is its turn's, which takes many jobs before BullMQ names a place for each. */
export interface HeldJob extends Omit<LockedStart, 'requestId'> {
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
  /** The same of several, with what Redis knows them by; those that are not held are left out. */
  locksOf(requestIds: readonly string[], tokens: readonly string[]): LockedStart[];
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
    locksOf: (requestIds, tokens) =>
      requestIds.flatMap((requestId, index) => {
        const job = held.get(placeOf(requestId, tokens[index] ?? ''));
        return job ? [{ requestId, ...job }] : [];
      }),
    release: (requestId, token) => void held.delete(placeOf(requestId, token)),
    get count() {
      return held.size;
    },
  };
}

/** How often a job had been started and lost when it was taken, of the fields and values of its hash. */
export function countsOf(hash: readonly string[]): Pick<LockedStart, 'starts' | 'losses'> {
  // The latest of a field that comes twice.
  const valueOf = (field: string) => {
    const at = hash.findLastIndex((text, index) => index % 2 === 0 && text === field);
    return at === -1 ? '0' : (hash[at + 1] ?? '0');
  };
  return { starts: valueOf('ats'), losses: valueOf('stc') };
}
