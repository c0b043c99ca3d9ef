/** Times that are kept of each model. */
const KEPT = 200;
/** Fewer say nothing of the slow ones. */
const ENOUGH = 20;
/** A second call within this would race the first one's own answer, ms. */
const SHORTEST_MS = 50;

/** How long the last calls for each model took until the first part of their answer, as this worker saw them. */
export interface FirstTokenTimes {
  add(model: string, ms: number): void;
  /** What 95 of 100 calls stay below, ms; undefined where too few are known. */
  p95(model: string): number | undefined;
}

export function createFirstTokenTimes(): FirstTokenTimes {
  const models = new Map<string, number[]>();
  return {
    add(model, ms) {
      const times = models.get(model) ?? [];
      models.set(model, times);
      times.push(ms);
      if (times.length > KEPT) times.shift();
    },
    p95(model) {
      const times = models.get(model);
      if (times === undefined || times.length < ENOUGH) return undefined;
      const sorted = times.toSorted((a, b) => a - b);
      return Math.max(SHORTEST_MS, sorted[Math.floor(0.95 * sorted.length)] ?? 0);
    },
  };
}
