import { type TallyField, usageKeyOf } from '@lontar/shared/event-tally.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { RequestEvent } from '@lontar/shared/request-event.ts';
import { ALL_KEYS, packCounts, type UsageCount } from '@lontar/shared/usage/usage-counts.ts';
import { type UsageOfRequest, usageOf } from '@lontar/shared/usage/usage-of-request.ts';

/** Adds up what a batch adds to the usage of API keys, so that each row is written once. */
export interface UsagePlan {
  /** @param times how many requests the event stands for */
  addEvent(event: RequestEvent, times: number): void;
  /** Adds what was sent as a number; nothing where the counter is of something else. */
  addCounter(counter: TallyField, amount: number): void;
  /** Names of Redis keys, each with its rows: field and packed counts, one after the other. */
  list(): [key: string, rows: string[]][];
}

export function createUsage(): UsagePlan {
  const months = new Map<string, Map<string, Map<UsageCount, number>>>();
  const rowOf = (of: string, day: string, model: string) => {
    const rows = entryOf(months, redisKeys.keyUsage(of, day.slice(0, 7)), () => new Map());
    return entryOf(rows, `${day.slice(8)} ${model}`, () => new Map());
  };
  // Rows are looked up once for each event, not for each of its counts.
  const add = (of: string, day: string, model: string, counts: UsageOfRequest['counts'], times: number) => {
    for (const row of [rowOf(of, day, model), rowOf(ALL_KEYS, day, model)]) {
      for (const [count, amount] of counts) row.set(count, (row.get(count) ?? 0) + amount * times);
    }
  };
  return {
    addEvent(event, times) {
      const usage = usageOf(event);
      if (usage === undefined) return;
      add(usageKeyOf(event), usage.day, usage.model, usage.counts, times);
    },
    addCounter(counter, amount) {
      if (counter.kind !== 'usage') return;
      add(counter.key, counter.day, counter.model, [[counter.count, amount]], 1);
    },
    list: () =>
      [...months].map(([key, rows]) => [key, [...rows].flatMap(([row, counts]) => [row, packCounts(counts)])]),
  };
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = create();
  map.set(key, made);
  return made;
}
