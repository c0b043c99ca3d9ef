/**
 * Tries texts made to be slow to mask, for as long as `--minutes` says: each is masked or refused within 300 ms for
 * 60,000 characters, in linear work, and in pieces as it is whole. Ends with 1 if one is not, and names it.
 *   npm run fuzz -- --minutes 30 --seed 7
 */
import { randomInt } from 'node:crypto';
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { hostileTexts } from '../../../worker/src/masking/testing/hostile-texts.ts';
import { tryHostileText } from '../../../worker/src/masking/testing/try-hostile-text.ts';

const SLOWEST_SHOWN = 10;
const TOLD_EVERY_MS = 60_000;

const { minutes, seed = randomInt(2 ** 31) } = readOptions({
  name: 'npm run fuzz --',
  about: 'Tries texts made to be slow to mask: each has to be masked or refused in time.',
  options: {
    minutes: { type: 'number', value: 'N', default: 5, about: 'how long' },
    seed: { type: 'number', value: 'N', about: 'what the texts come of; another one each time where not given' },
  },
});
console.log(`seed ${seed}, ${minutes} minutes`);

const texts = hostileTexts(seed);
const startedAt = performance.now();
let toldAt = startedAt;
let [tried, refused, faults] = [0, 0, 0];
let slowest: { name: string; microseconds: number; steps: number }[] = [];
while (performance.now() - startedAt < minutes * 60_000) {
  const hostile = texts.next().value;
  const { trial, fault } = tryHostileText(hostile);
  const { length } = hostile.text;
  tried++;
  if (trial.refused) refused++;
  if (fault !== undefined) {
    faults++;
    console.error(fault);
  }
  if (length >= 20_000 && !trial.refused) {
    slowest.push({
      name: hostile.name,
      microseconds: (1_000 * trial.milliseconds) / length,
      steps: trial.work / length,
    });
    slowest = slowest.sort((a, b) => b.microseconds - a.microseconds).slice(0, SLOWEST_SHOWN);
  }
  if (performance.now() - toldAt > TOLD_EVERY_MS) {
    toldAt = performance.now();
    console.log(`${tried} texts, ${refused} refused, ${faults} faults`);
  }
}
console.log('slowest of those that were masked, a character:');
for (const { name, microseconds, steps } of slowest)
  console.log(`  ${microseconds.toFixed(2)} µs, ${steps.toFixed(0)} steps  ${name}`);
console.log(`${tried} texts, ${refused} refused, ${faults} faults`);
process.exitCode = faults > 0 ? 1 : 0;
