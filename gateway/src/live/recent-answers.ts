import type { Settlement } from '@lontar/shared/settlement/settlement.ts';
import type { AnswerTexts } from './answer-stream.ts';

/** What there is of an answer: its texts so far, or how it was settled. */
export type FoundAnswer = AnswerTexts | Settlement;

/** How long what was found serves other readers, ms: what was settled stays as it is, and partial texts grow. */
const KEPT_MS = { settled: 5_000, open: 250 };
/** Of all that is kept, UTF-16 units: the longest answer. */
const MOST_KEPT = 8_388_608;

/** Answers that were found a moment ago, of a bounded size together: those found first go first. */
export interface RecentAnswers {
  get(requestId: string): FoundAnswer | undefined;
  keep(requestId: string, found: FoundAnswer): void;
}

/** @param now monotonous, ms; another one only in tests */
export function createRecentAnswers(now: () => number = () => performance.now()): RecentAnswers {
  const kept = new Map<string, { readonly found: FoundAnswer; readonly units: number; readonly until: number }>();
  let total = 0;
  const drop = (requestId: string) => {
    total -= kept.get(requestId)?.units ?? 0;
    kept.delete(requestId);
  };
  const dropOld = () => {
    for (const [requestId, { until }] of kept) if (until <= now()) drop(requestId);
  };
  // Nothing asks for what is of no more use.
  setInterval(dropOld, KEPT_MS.settled).unref();
  return {
    get(requestId) {
      const known = kept.get(requestId);
      return known && known.until > now() ? known.found : undefined;
    },
    keep(requestId, found) {
      drop(requestId);
      dropOld();
      const units = unitsOf(found);
      if (units > MOST_KEPT) return;
      for (const oldest of kept.keys()) {
        if (total + units <= MOST_KEPT) break;
        drop(oldest);
      }
      total += units;
      kept.set(requestId, { found, units, until: now() + KEPT_MS['outcome' in found ? 'settled' : 'open'] });
    },
  };
}

function unitsOf(found: FoundAnswer): number {
  if (!('outcome' in found)) return found.text.length + found.reasoning.length;
  if (found.outcome === 'failed') return 0;
  const calls = (found.toolCalls ?? []).reduce((sum, call) => sum + call.arguments.length, 0);
  return found.text.length + (found.reasoning ?? '').length + calls;
}
