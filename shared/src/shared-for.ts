/**
 * Does a piece of work at most once in a time, for all who ask meanwhile; a failure is shared as well.
 *
 * @param freshMs from when the work began
 */
export function sharedFor<Value>(freshMs: number, work: () => Promise<Value>): () => Promise<Value> {
  let begunAt = Number.NEGATIVE_INFINITY;
  let isInWork = false;
  let last: Promise<Value> | undefined;
  return () => {
    const now = performance.now();
    if (last !== undefined && (isInWork || now - begunAt < freshMs)) return last;
    [begunAt, isInWork] = [now, true];
    last = work().finally(() => {
      isInWork = false;
    });
    return last;
  };
}
