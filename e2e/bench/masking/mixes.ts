import { mixedTexts } from '../../../worker/src/masking/testing/hostile-mixes.ts';
import { maskOnce } from '../../../worker/src/masking/testing/try-hostile-text.ts';

/** The growth is measured from the first to the second, characters. */
const [SHORT, LONG] = [2 ** 14, 2 ** 18];
const MOST_GROWTH = 1.15;
/** A faster text may grow as it likes. */
const FREE_MB_PER_S = 20;

/**
 * Times masking of texts that mix the anchors of each rule, and of all, with random fillings: nothing in them repeats
 * itself. Prints the slowest and gives how many are refused, or slower than FREE_MB_PER_S with a time that grows faster
 * than n^MOST_GROWTH. Seconds are those of this thread's processor time.
 */
export function timeMixes(seed: number, worst: number): number {
  const long = [...timed(seed, LONG, 2)];
  const short = new Map(timed(seed, SHORT, 8).map((text) => [text.name, text]));
  const rows = long
    .map((text) => {
      const growth = 1 + Math.log((short.get(text.name)?.speed ?? text.speed) / text.speed) / Math.log(LONG / SHORT);
      return { text, growth, fault: text.refused || (text.speed < FREE_MB_PER_S && growth > MOST_GROWTH) };
    })
    .sort((a, b) => a.text.speed - b.text.speed);
  console.log('  MB/s  steps  growth  text');
  for (const { text, growth, fault } of rows.slice(0, worst)) {
    const { name, speed, steps, refused } = text;
    console.log(
      `${speed.toFixed(1).padStart(6)} ${steps.toFixed(0).padStart(6)} ${growth.toFixed(2).padStart(7)}  ${name}${refused ? ' refused' : ''}${fault ? ' FAULT' : ''}`,
    );
  }
  const faults = rows.filter(({ fault }) => fault).length;
  console.log(`${rows.length} texts of ${LONG} characters, ${faults} faults`);
  return faults;
}

function timed(seed: number, length: number, tries: number) {
  return [...mixedTexts(seed, length)].map(({ name, text }) => {
    let trial = maskOnce(text);
    let { milliseconds } = trial;
    for (let again = 1; again < tries; again++) {
      trial = maskOnce(text);
      milliseconds = Math.min(milliseconds, trial.milliseconds);
    }
    return { name, speed: length / 1e3 / milliseconds, steps: trial.work / length, refused: trial.refused };
  });
}
