import { mixedTexts } from '../../../worker/src/masking/testing/hostile-mixes.ts';
import { maskOnce } from '../../../worker/src/masking/testing/try-hostile-text.ts';

/** Texts of so many characters sift. */
const SIFTING = 2 ** 12;
/** The growth is measured from the first to the second, characters. */
const [SHORT, LONG] = [2 ** 14, 2 ** 18];
const MOST_GROWTH = 1.15;
/** A faster text may grow as it likes. */
const FREE_MB_PER_S = 20;
const LEAST_MB_PER_S = 10;
/** A text is slow if it seems so in a few runs: it is timed again, for as long as it takes. */
const SIFTING_TRIES = 3;
const TRIES = 2;
/** A thread's processor time is counted in ticks of up to 10 ms: so much of it is measured at once. */
const LEAST_MS = 20;
const TEXTS_AT_ONCE = 16;

interface Row {
  readonly name: string;
  readonly speed: number;
  readonly growth: number;
  readonly steps: number;
  readonly refused: boolean;
  readonly fault: boolean;
}

/**
 * Times masking of texts that mix the anchors of each rule, and of all, with random fillings: nothing in them repeats
 * itself. All are timed very short; those that are slower than FREE_MB_PER_S then also long, the slowest first, as many as fit into
 * `minutes`. Prints the slowest and gives how many are refused, or slower than FREE_MB_PER_S with a time that grows
 * faster than n^MOST_GROWTH. Seconds are those of this thread's processor time.
 */
export function timeMixes(seed: number, worst: number, minutes: number): number {
  const endsAt = performance.now() + 60_000 * minutes;
  const sifted = sift(seed);
  const slow = sifted.filter(({ speed, refused }) => refused || speed < FREE_MB_PER_S);
  slow.sort((a, b) => a.speed - b.speed);
  const rows: Row[] = [];
  for (let from = 0; from < slow.length && performance.now() < endsAt; from += TEXTS_AT_ONCE)
    rows.push(...judge(seed, new Set(slow.slice(from, from + TEXTS_AT_ONCE).map(({ name }) => name))));
  rows.sort((a, b) => a.speed - b.speed);
  console.log('  MB/s  steps  growth  text');
  for (const { name, speed, steps, growth, refused, fault } of rows.slice(0, worst)) {
    console.log(
      `${speed.toFixed(1).padStart(6)} ${steps.toFixed(0).padStart(6)} ${growth.toFixed(2).padStart(7)}  ${name}${refused ? ' refused' : ''}${fault ? ' FAULT' : ''}`,
    );
  }
  const faults = rows.filter(({ fault }) => fault).length;
  const mean = sifted.length / sifted.reduce((sum, { speed }) => sum + 1 / speed, 0);
  const below = rows.filter(({ speed }) => speed < LEAST_MB_PER_S).length;
  console.log(
    `${sifted.length} texts of ${SIFTING} characters: ${mean.toFixed(0)} MB/s, ${slow.length} below ${FREE_MB_PER_S}. Of these ${rows.length} were timed with ${LONG} characters: ${below} below ${LEAST_MB_PER_S} MB/s, ${faults} faults`,
  );
  return faults;
}

/** The time on the clock of each text's fastest run, short: enough to find the slow ones. */
function sift(seed: number): { name: string; speed: number; refused: boolean }[] {
  return Array.from(mixedTexts(seed, SIFTING), ({ name, text }) => {
    let milliseconds = Number.POSITIVE_INFINITY;
    let refused = false;
    for (let again = 0; again < SIFTING_TRIES; again++) {
      const from = performance.now();
      refused = maskOnce(text).refused;
      milliseconds = Math.min(milliseconds, performance.now() - from);
    }
    return { name, speed: text.length / 1e3 / milliseconds, refused };
  });
}

function judge(seed: number, names: ReadonlySet<string>): Row[] {
  const wanted = (name: string) => names.has(name);
  const short = new Map(Array.from(mixedTexts(seed, SHORT, wanted), ({ name, text }) => [name, timed(text).speed]));
  return Array.from(mixedTexts(seed, LONG, wanted), ({ name, text }) => {
    const long = timed(text);
    const growth = 1 + Math.log((short.get(name) ?? long.speed) / long.speed) / Math.log(LONG / SHORT);
    return { name, ...long, growth, fault: long.refused || (long.speed < FREE_MB_PER_S && growth > MOST_GROWTH) };
  });
}

function timed(text: string) {
  let milliseconds = Number.POSITIVE_INFINITY;
  let trial = maskOnce(text);
  for (let again = 0; again < TRIES; again++) {
    let [spent, times] = [0, 0];
    for (; spent < LEAST_MS; times++) {
      trial = maskOnce(text);
      spent += trial.milliseconds;
    }
    milliseconds = Math.min(milliseconds, spent / times);
  }
  return { speed: text.length / 1e3 / milliseconds, steps: trial.work / text.length, refused: trial.refused };
}
