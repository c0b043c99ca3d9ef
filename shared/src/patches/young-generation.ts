import { constants, type NodeGCPerformanceDetail, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** By how much it grows: V8's own, and not at all. */
const GROWING = '--semi-space-growth-factor=2';
const HELD = '--semi-space-growth-factor=1';
/** How long after the last reason it may grow again, ms. */
const CALM_MS = 10_000;
/** Smaller than this it is not held, bytes, so that an attacker cannot make every request cost more. */
const HELD_FROM_BYTES = 16 * 1024 * 1024;
/** By how much the old generation may grow before it is collected, percent: mostly, and where it is collected all the time. */
const OLD_GROWTH = { mostly: 50, hurried: 150 };
/** A full collection that comes sooner after the one before is one too many, ms; and later than this is early enough again. */
const HURRIED_MS = 400;
const UNHURRIED_MS = 1_200;
/** What is in use, times that at the full collection before: from here on that one has come because more is in use. */
const GROWN = 1.2;

/** Its size is looked at no more often than this, ms. */
const LOOK_MS = 50;

/**
 * What it has at most in a service, bytes: both of its halves; and where full collections follow each other closely: long answers become
 * old in a small one.
 */
const MOST_BYTES = { mostly: 16 * 1024 * 1024, hurried: 32 * 1024 * 1024 };

/** What was read for nothing takes memory until the next collection; this much asks for one, bytes. */
export const MOST_GARBAGE_BYTES = 4 * 1024 * 1024;

/** What was in use at two collections has become old: each so many-th one is of everything. */
const WHOLE_EVERY = 16;

let calm: NodeJS.Timeout | undefined;
let isFull = false;
let isHurried = false;
let collectedAt = Number.NEGATIVE_INFINITY;
let usedThen = 0;
let lookedAt = Number.NEGATIVE_INFINITY;
/** Full collections up to here were asked for by `collectEverything`, several in a row: V8 does not mark them as such. */
let askedUntil = Number.NEGATIVE_INFINITY;

function setGrowth(): void {
  setFlagsFromString(calm !== undefined || isFull ? HELD : GROWING);
}

/**
 * Keeps V8's young generation at 16 MB for as long as the process lives. By itself it takes up to 128 MB under load and keeps them while
 * there is work. A request costs no more with an eighth of that, since what it leaves behind is let go of at once. Looked at after each
 * collection: one may find more than that, and lets it grow no further. Where full collections follow each other closely, as with long
 * answers, it may take 32 MB, and the old generation may grow to two and a half times what is in use.
 */
export function boundYoungGeneration(): void {
  new PerformanceObserver((list) => {
    for (const { detail, startTime } of list.getEntries() as Collection[]) {
      const { kind, flags } = detail;
      const isAskedFor = (flags & NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0 || startTime < askedUntil;
      if (kind === NODE_PERFORMANCE_GC_MAJOR && !isAskedFor) noteFull(startTime);
    }
    const wasFull = isFull;
    isFull = youngBytes() >= MOST_BYTES[isHurried ? 'hurried' : 'mostly'];
    if (isFull !== wasFull) setGrowth();
  }).observe({ entryTypes: ['gc'] });
}

type Collection = PerformanceEntry & { readonly detail: NodeGCPerformanceDetail };

/**
 * Whether full collections follow each other closely for what has become garbage between them. In a burst of requests they do so
 * because more and more is in use: room for garbage would then be memory of each request.
 *
 * @param ms how far the last two are apart
 * @param growth what is in use, times what was at the one before
 */
export function isHurriedAfter(ms: number, growth: number, wasHurried: boolean): boolean {
  return ms < (wasHurried ? UNHURRIED_MS : HURRIED_MS) && growth < GROWN;
}

const { NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_FLAGS_FORCED } = constants;

/**
 * What is in use is marked at each full collection. Long answers are in use for longer than two collections of the young
 * generation, and so become old: then there may be eight full ones a second, which is half of a worker's time.
 *
 * @param now when the old generation was collected, ms
 */
function noteFull(now: number): void {
  const wasHurried = isHurried;
  const { used_heap_size: used } = getHeapStatistics();
  isHurried = isHurriedAfter(now - collectedAt, used / usedThen, wasHurried);
  collectedAt = now;
  usedThen = used;
  if (isHurried === wasHurried) return;
  setFlagsFromString(`--heap-growing-percent=${isHurried ? OLD_GROWTH.hurried : OLD_GROWTH.mostly}`);
}

/**
 * Has V8 collect for little memory and processor time, for as long as the process lives. By itself it lets the old generation become up
 * to four times what is in use before it collects that: here one and a half times, see also `boundYoungGeneration`. And it collects the
 * young one by several threads, which are woken for each of hundreds of small collections, and look for work where there is none.
 *
 * Sets flags of V8 that are read at each collection: checked with Node 24.21.0; young-generation.int.test.ts fails where that
 * changes.
 */
export function collectFrugally(): void {
  setFlagsFromString(`--heap-growing-percent=${OLD_GROWTH.mostly}`);
  setFlagsFromString('--no-parallel-scavenge');
}

/**
 * Keeps V8's young generation from growing beyond 16 MB, or what it has by now, until this has not been called for ten
 * seconds: what is refused would be let go of only when all of it is full.
 *
 * @param fromBytes another bound than 16 MB, for what leaves nothing but garbage that is young
 * The flag of V8 that bounds it (`--max-semi-space-size`) has to stand on the command line; the one for its growth is read
 * at each step. Checked with Node 24.21.0: young-generation.int.test.ts fails where that changes.
 */
export function holdYoungGeneration(fromBytes: number = HELD_FROM_BYTES): void {
  if (calm !== undefined) return void calm.refresh();
  const now = performance.now();
  if (now - lookedAt < LOOK_MS) return;
  lookedAt = now;
  if (youngBytes() < fromBytes) return;
  calm = setTimeout(() => {
    calm = undefined;
    setGrowth();
  }, CALM_MS).unref();
  setGrowth();
}

/** What the young generation takes, bytes. */
export function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}

/**
 * Lets go of what has been read from sockets and is used no more, when so much has been read since the last time. V8
 * would wait until it is 32 MB, and for what has become old until that has doubled. The young generation is held meanwhile.
 *
 * @returns what to call with each piece that was read, bytes
 */
export function collectAfter(mostBytes: number): (bytes: number) => void {
  const collect = findCollector();
  let read = 0;
  let collections = 0;
  return (bytes) => {
    read += bytes;
    if (read < mostBytes) return;
    read = 0;
    holdYoungGeneration();
    collections++;
    collect({ type: collections % WHOLE_EVERY === 0 ? 'major' : 'minor' });
  };
}

/**
 * Lets go of all that is used no more, and gives its room back to the system at once: the young generation is small again, and
 * functions that have run are compiled anew when they are called. For when a process has loaded what it needs.
 */
export function collectEverything(): void {
  findCollector()({ type: 'major', flavor: 'last-resort' });
  askedUntil = performance.now();
}

type Collect = (how: { readonly type: 'minor' | 'major'; readonly flavor?: 'last-resort' }) => void;

/** V8 shows its collector to contexts that are made after the flag is set. */
function findCollector(): Collect {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
