const SLOT_MS = 5_000;
const SLOTS = 6;

/** Counts answers of the last 30 s that the fleet was not told of, because there was nothing to hold them against. */
export function countAnswersLately() {
  const counts = Array.from({ length: SLOTS }, () => 0);
  let newest = 0;
  const turnTo = (now: number) => {
    const slot = Math.floor(now / SLOT_MS);
    // Redis's clock may be set back: then the newest slot goes on.
    for (let missed = Math.min(SLOTS, slot - newest); missed > 0; missed--) counts[(slot - missed + 1) % SLOTS] = 0;
    newest = Math.max(newest, slot);
  };
  return {
    add(now: number): void {
      turnTo(now);
      counts[newest % SLOTS] = (counts[newest % SLOTS] ?? 0) + 1;
    },
    /** How many there were; they are not counted again. */
    take(now: number): number {
      turnTo(now);
      const sum = counts.reduce((all, count) => all + count, 0);
      counts.fill(0);
      return sum;
    },
  };
}
