/**
 * Looks for texts that are slow to mask among repetitions of short units: every anchor of every rule with what may stand
 * around it, and with `--pairs` every anchor with every other. The slowest are masked again at a megabyte. Ends with 1
 * when one is refused, masked at less than LEAST_MB_PER_S, or slower than FREE_MB_PER_S with a time that grows faster
 * than n^MOST_GROWTH. Figures are of the best of some runs, but a busy machine still makes them worse.
 *   npm run masking-families -- --pairs --worst 100 --minutes 5
 *   npm run masking-families -- --mixed
 * `--minutes` tries as many as fit, spread evenly over all, so that the whole takes no longer.
 */
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { unitsOfOneAnchor, unitsOfTwoAnchors } from '../../../worker/src/masking/testing/hostile-families.ts';
import { maskOnce } from '../../../worker/src/masking/testing/try-hostile-text.ts';
import { timeMixes } from './mixes.ts';

const LEAST_MB_PER_S = 10;
const FREE_MB_PER_S = 20;
const MOST_GROWTH = 1.15;
/** Short texts sift, long ones judge, characters. */
const [SHORT, LONG] = [4_096, 2 ** 20];
/** The growth is measured from here to LONG. */
const MIDDLE = LONG / 16;
/** A short text slower than this is masked again and may be among the worst. */
const SUSPECT_MB_PER_S = 30;
const TOLD_EVERY_MS = 60_000;
/** For mixed texts, unless `--minutes` says otherwise. */
const MIXED_MINUTES = 2.5;

interface Family {
  readonly unit: string;
  readonly megabytesPerSecond: number;
  readonly steps: number;
  readonly refused: boolean;
}

const values = readOptions({
  name: 'npm run masking-families --',
  about: 'Times masking of texts that repeat a unit, and names the slowest.',
  options: {
    pairs: { type: 'flag', about: 'also units of two anchors' },
    mixed: { type: 'flag', about: 'instead, texts that mix the anchors of each rule and repeat nothing' },
    seed: { type: 'number', value: 'N', default: 7, about: 'what such texts come of' },
    worst: { type: 'number', value: 'N', default: 40, about: 'how many of the slowest are shown' },
    share: { type: 'number', value: 'SHARE', default: 1, about: 'how many of all are tried, up to 1' },
    minutes: {
      type: 'number',
      value: 'N',
      default: 0,
      about: 'so many of all are tried as fit into this time; 0 for all, of mixed texts for 2.5',
    },
  },
});
const { worst } = values;
if (values.mixed) process.exit(timeMixes(values.seed, worst, values.minutes || MIXED_MINUTES) > 0 ? 1 : 0);
const endsAt = values.minutes > 0 ? performance.now() + 60_000 * values.minutes : Number.POSITIVE_INFINITY;
/** Of the time, what the short texts may take; the rest is for the worst of them at LONG. */
const SIFTING = 0.75;
/** Units by which the time of one is foreseen. */
const SAMPLE = 400;

function time(unit: string, length: number, tries: number): Family {
  const text = Buffer.from(unit.repeat(Math.ceil(length / unit.length)).slice(0, length)).toString();
  let seconds = Number.POSITIVE_INFINITY;
  let trial = maskOnce(text);
  for (let again = 0; again < tries; again++) {
    const from = performance.now();
    trial = maskOnce(text);
    seconds = Math.min(seconds, (performance.now() - from) / 1_000);
  }
  return {
    unit,
    megabytesPerSecond: text.length / 1e6 / seconds,
    steps: trial.work / text.length,
    refused: trial.refused,
  };
}

function* units(): Generator<string> {
  yield* unitsOfOneAnchor();
  if (values.pairs) yield* unitsOfTwoAnchors();
}

/** Of the units that ends share the slowest stay, and so much as one of a kind: of the same work, one. */
function keepWorst(families: Family[]): Family[] {
  const sorted = families.sort((a, b) => a.megabytesPerSecond - b.megabytesPerSecond);
  return sorted.slice(0, worst);
}

/** One of how many units is tried: all by `--share`, or by the time that there is and what a few of them take. */
function chooseShare(): number {
  const byShare = Math.round(1 / values.share);
  if (values.minutes <= 0) return byShare;
  const all = [...units()];
  const every = Math.max(1, Math.floor(all.length / SAMPLE));
  let from = 0;
  // The first time round code is compiled.
  for (let round = 0; round < 2; round++) {
    from = performance.now();
    for (let index = 0; index < all.length; index += every) time(all[index] ?? '', SHORT, 1);
  }
  const eachMs = (performance.now() - from) / Math.ceil(all.length / every);
  return Math.max(byShare, Math.ceil((all.length * eachMs) / (SIFTING * (endsAt - performance.now()))));
}

const everyNth = chooseShare();
let at = 0;
let tried = 0;
let toldAt = performance.now();
let suspects: Family[] = [];
for (const unit of units()) {
  if (at++ % everyNth !== 0) continue;
  tried++;
  let family = time(unit, SHORT, 1);
  if (family.megabytesPerSecond < SUSPECT_MB_PER_S || family.refused) family = time(unit, SHORT, 4);
  if (family.megabytesPerSecond < SUSPECT_MB_PER_S || family.refused) suspects.push(family);
  if (suspects.length > 20 * worst) suspects = keepWorst(suspects);
  if (performance.now() - toldAt > TOLD_EVERY_MS) {
    toldAt = performance.now();
    console.error(`${tried} units, slowest ${keepWorst(suspects)[0]?.megabytesPerSecond.toFixed(1)} MB/s`);
  }
}

let faults = 0;
let judged = 0;
console.log('  MB/s  steps  growth  unit');
for (const { unit } of keepWorst(suspects)) {
  if (performance.now() > endsAt) break;
  judged++;
  const long = time(unit, LONG, 2);
  const middle = time(unit, MIDDLE, 4);
  const growth = 1 + Math.log(middle.megabytesPerSecond / long.megabytesPerSecond) / Math.log(LONG / MIDDLE);
  const isSlow =
    long.refused ||
    long.megabytesPerSecond < LEAST_MB_PER_S ||
    (long.megabytesPerSecond < FREE_MB_PER_S && growth > MOST_GROWTH);
  if (isSlow) faults++;
  console.log(
    `${long.megabytesPerSecond.toFixed(1).padStart(6)} ${long.steps.toFixed(0).padStart(6)} ${growth.toFixed(2).padStart(7)}  ${JSON.stringify(unit)}${long.refused ? ' refused' : ''}${isSlow ? ' SLOW' : ''}`,
  );
}
console.log(
  `${tried} of ${at} units, ${suspects.length} suspect, ${judged} of them timed at a megabyte, ${faults} slow`,
);
process.exitCode = faults > 0 ? 1 : 0;
