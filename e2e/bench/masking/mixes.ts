import { mixedTexts } from '../../../worker/src/masking/testing/hostile-mixes.ts';
import type { HostileText } from '../../../worker/src/masking/testing/hostile-texts.ts';
import { maskOnce } from '../../../worker/src/masking/testing/try-hostile-text.ts';

/** The growth is measured from the first to the second, characters. */
const [SHORT, LONG] = [2 ** 14, 2 ** 18];
const MOST_GROWTH = 1.15;
/** A faster text may grow as it likes. */
const FREE_MB_PER_S = 20;

/**
 * Times masking of texts that mix the anchors of each rule, and of all, with random fillings: nothing in them repeats
 * itself. The slow ones are timed again, also shorter. Prints the slowest and gives how many are refused, or slower than
 * FREE_MB_PER_S with a time that grows faster than n^MOST_GROWTH. Seconds are those of this thread's processor time.
 */
export function timeMixes(seed: number, worst: number): number {
  const sifted = [...mixedTexts(seed, LONG)].map((text) => timed(text, 1));
  const slow = new Set(sifted.filter(({ speed }) => speed < FREE_MB_PER_S).map(({ name }) => name));
  const isSlow = ({ name }: HostileText) => slow.has(name);
  const long = [...mixedTexts(seed, LONG)].filter(isSlow).map((text) => timed(text, 3));
  const short = new Map([...mixedTexts(seed, SHORT)].filter(isSlow).map((text) => [text.name, timed(text, 3)]));
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
  console.log(`${sifted.length} texts of ${LONG} characters, ${faults} faults`);
  return faults;
}

/** A thread's processor time is counted in ticks of up to 10 ms: so much of it is measured at once. */
const LEAST_MS = 15;

function timed({ name, text }: HostileText, tries: number) {
  let milliseconds = Number.POSITIVE_INFINITY;
  let trial = maskOnce(text);
  for (let again = 0; again < tries; again++) {
    let [spent, times] = [0, 0];
    for (; spent < LEAST_MS; times++) {
      trial = maskOnce(text);
      spent += trial.milliseconds;
    }
    milliseconds = Math.min(milliseconds, spent / times);
  }
  return {
    name,
    speed: text.length / 1e3 / milliseconds,
    steps: trial.work / text.length,
    refused: trial.refused,
  };
}
