import type { Deadlines } from '@lontar/shared/models/catalog.ts';

/** Why our own side ended an attempt, if it did. `connection`: none was made in time, so nothing was asked. */
export type AttemptEnd = 'cancelled' | 'timed_out' | 'connection' | undefined;

/** One attempt's end by our own side: the caller's signal, or the attempt's own clock, whichever comes first. */
export interface Attempt {
  readonly ended: () => AttemptEnd;
  /** Sets what is done at the end, in place of what was set before; done at once where it has come already. */
  readonly atEnd: (listener: () => void) => void;
  /** A connection is wanted from now on. */
  readonly connecting: () => void;
  /**
   * A request is on its way; only where a stream is asked for does silence say anything before the end.
   *
   * @param isAsked whether the model is asked by it: to look for an upstream's models costs nothing
   */
  readonly sent: (isStream: boolean, isAsked?: boolean) => void;
  /** Whether a request to the model was on its way. */
  readonly wasAsked: () => boolean;
  /** A part of the answer has come. */
  readonly heard: () => void;
  /** Lets go of the caller's signal and of the clock. */
  readonly finish: () => void;
}

/** A timer that is later than this was late because this process stood still. */
const STOOD_STILL_MS = 250;
/** What came meanwhile is read in this time, ms: our own accident must not look like an upstream's. */
const CATCH_UP_MS = 1_000;
/** Timers of Node know no more, ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Starts the clock of one attempt. Unlike with `AbortSignal.any` and `AbortSignal.timeout`, nothing of it outlives the
 * attempt, and it says what ended it. One timer serves all deadlines, and none is set for a token: it is looked at how long
 * the silence was when it could be too long.
 *
 * @param deadlines of each part of the attempt: connecting, the first token, the time between two, and all of it
 */
export function startAttempt(caller: AbortSignal, deadlines: Deadlines): Attempt {
  return new RunningAttempt(caller, deadlines);
}

class RunningAttempt implements Attempt {
  readonly #caller: AbortSignal;
  readonly #deadlines: Deadlines;
  readonly #overAt: number;
  #ended: AttemptEnd;
  #listener: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #hasCaughtUp = false;
  /** How long the silence may be that began then, and what it means if it is longer. */
  #silenceMs = Number.POSITIVE_INFINITY;
  #silentSince = 0;
  #isConnecting = false;
  #isFlowing = false;
  #wasAsked = false;

  constructor(caller: AbortSignal, deadlines: Deadlines) {
    this.#caller = caller;
    this.#deadlines = deadlines;
    this.#overAt = performance.now() + deadlines.totalMs;
    this.#setTimer();
    caller.addEventListener('abort', this.#cancel, { once: true });
    if (caller.aborted) this.#cancel();
  }

  readonly ended = () => this.#ended;

  readonly atEnd = (listener: () => void) => {
    this.#listener = listener;
    if (this.#ended !== undefined) listener();
  };

  readonly connecting = () => this.#expect(this.#deadlines.connectMs, true);

  readonly sent = (isStream: boolean, isAsked = true) => {
    this.#wasAsked ||= isAsked;
    this.#expect(isStream ? this.#deadlines.firstTokenMs : Number.POSITIVE_INFINITY, false);
  };

  readonly wasAsked = () => this.#wasAsked;

  readonly heard = () => {
    if (this.#isFlowing) this.#silentSince = performance.now();
    else this.#expect(this.#deadlines.idleMs, false);
    this.#isFlowing = true;
  };

  readonly finish = () => {
    this.#listener = undefined;
    clearTimeout(this.#timer);
    this.#timerAt = Number.NEGATIVE_INFINITY;
    this.#caller.removeEventListener('abort', this.#cancel);
  };

  readonly #cancel = () => this.#end('cancelled');

  #expect(silenceMs: number, isConnecting: boolean): void {
    this.#silenceMs = silenceMs;
    this.#silentSince = performance.now();
    this.#isConnecting = isConnecting;
    this.#isFlowing = false;
    if (this.#dueAt < this.#timerAt) this.#setTimer();
  }

  get #dueAt(): number {
    return Math.min(this.#overAt, this.#silentSince + this.#silenceMs);
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    this.#timerAt = this.#dueAt;
    const leftMs = Math.max(0, this.#timerAt - performance.now());
    this.#timer = setTimeout(this.#look, Math.min(leftMs, LONGEST_TIMER_MS));
  }

  readonly #look = () => {
    const now = performance.now();
    const overdueMs = now - this.#dueAt;
    // Timers may be a little early.
    if (overdueMs < -1) return this.#setTimer();
    if (now - this.#timerAt > STOOD_STILL_MS && !this.#hasCaughtUp) {
      this.#hasCaughtUp = true;
      this.#timer = setTimeout(this.#look, CATCH_UP_MS);
      return;
    }
    this.#end(this.#isConnecting && this.#overAt > now ? 'connection' : 'timed_out');
  };

  #end(reason: AttemptEnd): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#listener?.();
  }
}
