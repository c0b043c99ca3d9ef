/**
 * Prints how the masker does on the blind set, by kind; `--failures` names each case that failed.
 *   npm run masking-score -- --failures --kind aimed-07 --seed 7
 */
import { parseArgs } from 'node:util';
import { mask } from '@lontar/worker/masking.ts';
import { HELD_SEED } from './held-score.ts';
import { readBlindCases } from './read-cases.ts';
import { heldLines, scoreTable } from './report.ts';
import { runCases, scoreByKind } from './score.ts';

const { values } = parseArgs({
  options: {
    failures: { type: 'boolean', default: false },
    held: { type: 'boolean', default: false },
    kind: { type: 'string', default: '' },
    seed: { type: 'string', default: HELD_SEED },
  },
});
const cases = readBlindCases(new URL('cases/', import.meta.url)).filter(({ kind }) => kind.startsWith(values.kind));
if (cases.length === 0) {
  console.error(`No kind of the blind set begins with ${values.kind}.`);
  process.exit(1);
}

const results = runCases(cases, (text) => mask(text).text, values.seed);
const scores = scoreByKind(results);
console.log(values.held ? heldLines(scores) : scoreTable(scores));
if (values.failures) {
  for (const { id, faults } of results) for (const fault of faults) console.log(`${id}: ${fault}`);
}
