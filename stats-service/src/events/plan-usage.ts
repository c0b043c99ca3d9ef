import { type TallyField, usageKeyOf } from '@lontar/shared/event-tally.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import type { RequestEvent } from '@lontar/shared/request-event.ts';
import { ALL_KEYS, packCounts, type UsageCount, usageOf } from '@lontar/shared/usage/usage-counts.ts';

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
  const addTo = (of: string, day: string, model: string, count: UsageCount, amount: number) => {
    const rows = entryOf(months, redisKeys.keyUsage(of, day.slice(0, 7)), () => new Map());
    const counts = entryOf(rows, `${day.slice(8)} ${model}`, () => new Map());
    counts.set(count, (counts.get(count) ?? 0) + amount);
  };
  const add = (...[of, ...what]: Parameters<typeof addTo>) => {
    addTo(of, ...what);
    addTo(ALL_KEYS, ...what);
  };
  return {
    addEvent(event, times) {
      const usage = usageOf(event);
      if (usage === undefined) return;
      const key = usageKeyOf(event);
      for (const [count, amount] of usage.counts) add(key, usage.day, usage.model, count, amount * times);
    },
    addCounter(counter, amount) {
      if (counter.kind !== 'usage') return;
      add(counter.key, counter.day, counter.model, counter.count, amount);
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
