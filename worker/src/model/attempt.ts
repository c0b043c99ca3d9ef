/** Why our own side ended an attempt, if it did. */
export type AttemptEnd = 'cancelled' | 'timed_out' | undefined;

/** One attempt's end by our own side: the caller's signal, or the attempt's own clock, whichever comes first. */
export interface Attempt {
  readonly ended: () => AttemptEnd;
  /** Sets what is done at the end, in place of what was set before; done at once where it has come already. */
  readonly atEnd: (listener: () => void) => void;
  /** Lets go of the caller's signal and of the clock. */
  readonly finish: () => void;
}

/**
 * Starts the clock of one attempt. Unlike with `AbortSignal.any` and `AbortSignal.timeout`, nothing of it outlives the
 * attempt, and it says which of the two ended it.
 */
export function startAttempt(caller: AbortSignal, timeoutMs: number): Attempt {
  let ended: AttemptEnd;
  let listener: (() => void) | undefined;
  const end = (reason: 'cancelled' | 'timed_out') => {
    if (ended !== undefined) return;
    ended = reason;
    listener?.();
  };
  const cancel = () => end('cancelled');
  const timer = setTimeout(end, timeoutMs, 'timed_out');
  caller.addEventListener('abort', cancel, { once: true });
  if (caller.aborted) cancel();
  return {
    ended: () => ended,
    atEnd(next) {
      listener = next;
      if (ended !== undefined) next();
    },
    finish() {
      listener = undefined;
      clearTimeout(timer);
      caller.removeEventListener('abort', cancel);
    },
  };
}
