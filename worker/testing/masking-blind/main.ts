/**
 * Prints how the masker does on the blind set, by kind; `--failures` names each case that failed.
 *   npm run masking-score -- --failures --kind aimed-07 --seed 7
 */
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { mask } from '@lontar/worker/masking.ts';
import { HELD_SEED } from './held-score.ts';
import { readBlindCases } from './read-cases.ts';
import { heldLines, scoreTable } from './report.ts';
import { runCases, scoreByKind } from './score.ts';

const values = readOptions({
  name: 'npm run masking-score --',
  about: 'Says how masking does on the set of texts whose author had not read it, by kind.',
  options: {
    failures: { type: 'flag', about: 'names each case that failed' },
    held: { type: 'flag', about: 'prints the score in the form in which a test holds it' },
    kind: { type: 'text', value: 'PREFIX', default: '', about: 'those kinds alone that begin so' },
    seed: { type: 'text', value: 'TEXT', default: HELD_SEED, about: 'what secrets in the cases are made of' },
  },
});
const cases = readBlindCases(new URL('cases/', import.meta.url)).filter(({ kind }) => kind.startsWith(values.kind));
if (cases.length === 0) {
  console.error(`No kind of the blind set begins with ${values.kind}.`);
  process.exit(2);
}

const results = runCases(cases, (text) => mask(text).text, values.seed);
const scores = scoreByKind(results);
console.log(values.held ? heldLines(scores) : scoreTable(scores));
if (values.failures) {
  for (const { id, faults } of results) for (const fault of faults) console.log(`${id}: ${fault}`);
}
