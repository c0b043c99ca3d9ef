import type { OutcomeClass, UpstreamState } from '@lontar/shared/models/upstream-state.ts';
import type { ModelErrorKind } from '../model/language-model.ts';

/** A breaker opens after so many failures in a row, */
const MOST_FAILURES_IN_ROW = 5;
/** or when of so many calls or more, in the last 30 s, half have failed. */
const ENOUGH_TO_JUDGE = 20;
const SLOT_MS = 5_000;
const SLOTS = 6;
/** How long it is open: this times how often it has opened in a row, */
const OPEN_MS = 5_000;
/** at most. */
const LONGEST_OPEN_MS = 300_000;
/** Where the call that tried it has said nothing, another one tries it after this, ms. */
const PROBE_AGAIN_MS = 1_000;
/** An upstream that takes no more calls and does not say for how long is left alone for this, ms. */
const SHORT_ALONE_MS = 1_000;
/** One that names a year is asked again after this. */
const LONGEST_ALONE_MS = 300_000;
/** What an upstream bears is forgotten when it has borne everything for so long. */
const QUIET_MS = 600_000;

export interface Outcome {
  readonly class: OutcomeClass;
  readonly kind: ModelErrorKind | 'ended by us';
  /** Of the call; empty where it stands for several answers of no further interest. */
  readonly id: string;
  /** Unix ms by Redis. */
  readonly beganAt: number;
  /** For how long the upstream wants no call, ms. */
  readonly retryAfterMs?: number | undefined;
  /** How many such outcomes it stands for. */
  readonly count: number;
  /** Calls in flight at the upstream when it ended, itself included. */
  readonly inFlight: number;
}

/** What each end of a call says. A caller who leaves, and our own deadline, say nothing. */
export const CLASS_OF_KIND: Readonly<Record<ModelErrorKind | 'ended by us', OutcomeClass>> = {
  none: 'answered',
  content_blocked: 'answered',
  output_used_up: 'answered',
  context_exceeded: 'answered',
  request_refused: 'answered',
  rate_limited: 'limited',
  unauthorized: 'unauthorized',
  timed_out: 'stalled',
  server_error: 'failed',
  connection: 'failed',
  cut_off: 'failed',
  refused: 'failed',
  invalid_answer: 'failed',
  empty_answer: 'failed',
  too_large: 'failed',
  cancelled: 'unknown',
  'ended by us': 'unknown',
};

/**
 * The state after a call has ended. 429 is no failure: the upstream is left alone for as long as it says. Refused
 * credentials open the breaker at once. While it is open, the outcome of the call that tries the upstream counts alone. One
 * that said when to come again is tried by one call then, too, until it answers: whoever is over a quota refuses all others.
 * That such a call is refused says nothing of how many are borne at once.
 *
 * Where an upstream takes no more, or stalls, it is taken to bear half of what it had, and one more with each round of calls
 * that goes well, more slowly around what it did not bear before. What happens to single calls while its breaker is open says
 * nothing of how many it bears.
 */
export function noteOutcome(before: UpstreamState, outcome: Outcome, now: number): UpstreamState {
  const state = { ...before, seq: before.seq + 1 };
  const isTried = state.probe !== '' && state.probe === outcome.id;
  const isProbe = isTried && state.openUntil > 0;
  if (isTried && !isProbe) state.probe = '';
  switch (outcome.class) {
    case 'unknown':
      if (isProbe) Object.assign(state, { probe: '', openUntil: now + PROBE_AGAIN_MS });
      return state;
    case 'answered':
      if (isProbe) close(state, now);
      if (state.openUntil === 0) {
        state.failuresInRow = 0;
        if (now >= state.tryFrom) state.tryFrom = 0;
        addToWindow(state, now, outcome.count, 0);
      }
      bearMore(state, outcome, now);
      return state;
    case 'limited':
      if (isProbe) close(state, now);
      leaveAlone(state, outcome.retryAfterMs, now);
      if (before.openUntil === 0 && !isTried) bear(state, outcome, now);
      return state;
    case 'unauthorized':
      if (state.openUntil === 0 || isProbe) open(state, outcome.kind, now);
      return state;
    case 'failed':
      fail(state, outcome, now);
      return state;
    case 'stalled':
      fail(state, outcome, now);
      if (before.openUntil === 0) bear(state, outcome, now);
      return state;
  }
}

/** Whether nothing of interest is known of it: then answers of calls need not be noted. */
export function isQuiet({ openUntil, failuresInRow, limit, tryFrom, window }: UpstreamState, now: number): boolean {
  if (openUntil > 0 || failuresInRow > 0 || limit > 0 || tryFrom > 0) return false;
  const oldest = Math.floor(now / SLOT_MS) - SLOTS;
  for (let at = 0; at < window.length; at += 3) {
    if ((window[at] ?? 0) > oldest && (window[at + 2] ?? 0) > 0) return false;
  }
  return true;
}

/** Whether a call has failed within the last five to ten seconds: one answer in between does not say that it is well. */
export function hasFailedLately({ failuresInRow, window }: UpstreamState, now: number): boolean {
  if (failuresInRow > 0) return true;
  const before = Math.floor(now / SLOT_MS) - 2;
  for (let at = 0; at < window.length; at += 3) {
    if ((window[at] ?? 0) > before && (window[at + 2] ?? 0) > 0) return true;
  }
  return false;
}

function open(state: UpstreamState, kind: string, now: number): void {
  state.opens += 1;
  state.openUntil = now + Math.min(OPEN_MS * state.opens, LONGEST_OPEN_MS);
  state.openedBy = kind;
  state.probe = '';
}

function close(state: UpstreamState, now: number): void {
  Object.assign(state, {
    openUntil: 0,
    opens: 0,
    failuresInRow: 0,
    closedAt: now,
    openedBy: '',
    probe: '',
    tryFrom: 0,
    window: [],
  });
}

/** The longest of several waits is kept. @param saidMs for how long the upstream said */
function leaveAlone(state: UpstreamState, saidMs: number | undefined, now: number): void {
  state.aloneUntil = Math.max(state.aloneUntil, now + Math.min(saidMs ?? SHORT_ALONE_MS, LONGEST_ALONE_MS));
  if (saidMs !== undefined && saidMs >= SHORT_ALONE_MS) state.tryFrom = state.aloneUntil;
}

function fail(state: UpstreamState, outcome: Outcome, now: number): void {
  if (outcome.retryAfterMs !== undefined) leaveAlone(state, outcome.retryAfterMs, now);
  if (state.openUntil > 0) {
    if (state.probe === outcome.id) open(state, outcome.kind, now);
    return;
  }
  if (outcome.beganAt < state.closedAt) return;
  state.failuresInRow += 1;
  addToWindow(state, now, 0, 1);
  let answered = 0;
  let failed = 0;
  for (let at = 0; at < state.window.length; at += 3) {
    answered += state.window[at + 1] ?? 0;
    failed += state.window[at + 2] ?? 0;
  }
  const isHalf = answered + failed >= ENOUGH_TO_JUDGE && failed >= answered;
  if (isHalf || state.failuresInRow >= MOST_FAILURES_IN_ROW) open(state, outcome.kind, now);
}

function addToWindow(state: UpstreamState, now: number, answered: number, failed: number): void {
  const slot = Math.floor(now / SLOT_MS);
  const kept: number[] = [];
  for (let at = 0; at < state.window.length; at += 3) {
    const number = state.window[at] ?? 0;
    if (number > slot - SLOTS && number <= slot) kept.push(...state.window.slice(at, at + 3));
  }
  if (kept.at(-3) !== slot) kept.push(slot, 0, 0);
  kept[kept.length - 2] = (kept.at(-2) ?? 0) + answered;
  kept[kept.length - 1] = (kept.at(-1) ?? 0) + failed;
  state.window = kept;
}

function bear(state: UpstreamState, { beganAt, inFlight }: Outcome, now: number): void {
  state.troubledAt = now;
  if (beganAt < state.cutAt) return;
  const most = state.limit > 0 ? Math.floor(state.limit / 1_000) : Number.POSITIVE_INFINITY;
  const borne = Math.min(Math.max(inFlight, 1), most);
  state.ceiling = borne * 1_000;
  state.limit = Math.max(1, Math.floor(borne / 2)) * 1_000;
  state.cutAt = now;
}

function bearMore(state: UpstreamState, { inFlight, count }: Outcome, now: number): void {
  if (state.limit === 0) return;
  if (now - state.troubledAt >= QUIET_MS) {
    Object.assign(state, { limit: 0, ceiling: 0, cutAt: 0 });
    return;
  }
  // Places that are not used up to four fifths say nothing of whether more would be borne. Whole ones: no call takes a part.
  if (inFlight * 1_250 < Math.floor(state.limit / 1_000) * 1_000) return;
  let growth = Math.floor((count * 1_000_000) / state.limit);
  const isNearCeiling = state.limit * 10 >= state.ceiling * 9 && state.limit * 2 < state.ceiling * 3;
  if (isNearCeiling) growth = Math.floor(growth / 4);
  state.limit += growth;
}
