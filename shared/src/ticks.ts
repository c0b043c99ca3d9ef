/** What is done now and then is done at these moments, ms apart. */
export const TICK_MS = 250;

interface Repeated {
  readonly everyTicks: number;
  readonly run: () => void;
}

const repeated = new Set<Repeated>();
let ticks = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * As `setInterval`, with one timer for everything that a process repeats: what is due in the same quarter of a second wakes the
 * process once, and goes to Redis in one piece. Keeps the process alive.
 *
 * @param everyMs a multiple of `TICK_MS`; what is repeated begins within this time
 * @param run must not throw
 * @returns ends it
 */
export function onTicks(everyMs: number, run: () => void): () => void {
  const one = { everyTicks: Math.max(1, Math.round(everyMs / TICK_MS)), run };
  repeated.add(one);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    repeated.delete(one);
    if (repeated.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  ticks++;
  for (const { everyTicks, run } of repeated) if (ticks % everyTicks === 0) run();
}
