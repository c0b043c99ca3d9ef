import type { ModelConfig } from '@lontar/shared/models/catalog.ts';
import type { OutcomeClass } from '@lontar/shared/models/upstream-state.ts';
import type { ModelErrorKind } from '../model/language-model.ts';
import { CLASS_OF_KIND } from './upstream-state.ts';

/** An upstream that answered a call which began so long before another one, or after it, is well as far as that one goes, ms. */
const WELL_FOR_MS = 2_000;

export interface CallOutcome {
  readonly kind: ModelErrorKind | 'ended by us';
  /**
   * Why the end may say nothing of the upstream. `request`: another upstream failed in the same way at the same request;
   * `deadline`: the request's own time was over, and nothing of the answer had come.
   */
  readonly doubt?: 'request' | 'deadline' | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Used in all; absent where that is not known. */
  readonly tokens?: number | undefined;
  /** Until the first part of the answer, ms; absent where none came, or it came whole. */
  readonly firstTokenMs?: number | undefined;
}

export interface JudgedEnd {
  readonly kind: CallOutcome['kind'];
  readonly class: OutcomeClass;
}

export interface EndJudge {
  /** @param beganAt of the call, by `performance.now()` */
  judge(model: ModelConfig, upstream: string, beganAt: number, outcome: CallOutcome): JudgedEnd;
}

/**
 * Says what ends of calls say of their upstreams where that is in doubt, by what this worker's other calls came to. A request
 * that fails in the same way at two upstreams is taken to be at fault only while the second one answers others. And our own
 * deadline is a failure of the upstream only where it was enough for a call that began later at another upstream of the
 * model; so it never speaks against all of them. It cuts no limit: that too little time was left says nothing of how many
 * calls are borne. Never throws.
 */
export function createEndJudge(): EndJudge {
  // Of each upstream, when the latest call began that was answered. Goes with the catalog.
  const answered = new WeakMap<ModelConfig, Map<string, number>>();
  return {
    judge(model, upstream, beganAt, { kind, doubt }) {
      const latest = answered.get(model) ?? new Map<string, number>();
      const ownLatest = latest.get(upstream) ?? Number.NEGATIVE_INFINITY;
      if (doubt === 'deadline') {
        const isUpstreams = [...latest].some(([other, began]) => other !== upstream && began > beganAt);
        return isUpstreams ? { kind: 'timed_out', class: 'failed' } : { kind: 'ended by us', class: 'unknown' };
      }
      if (doubt === 'request' && ownLatest >= beganAt - WELL_FOR_MS) return { kind: 'ended by us', class: 'unknown' };
      if (CLASS_OF_KIND[kind] === 'answered') {
        answered.set(model, latest.set(upstream, Math.max(ownLatest, beganAt)));
      }
      return { kind, class: CLASS_OF_KIND[kind] };
    },
  };
}
