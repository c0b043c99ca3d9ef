/**
 * Several checkouts of the service side by side, in turns, for the figures before and after a change.
 *   node e2e/bench/compare.ts [--rounds=6] [--seconds=2] [--connections=100] [--bytes=2048] [--per-second=N] FOLDER FOLDER…
 * A folder is a checkout with its node_modules: git archive COMMIT | tar x -C FOLDER && cp -al node_modules FOLDER/
 */
import { basename } from 'node:path';
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { describeCheckout, measureCheckouts } from './sections/checkouts.ts';

const given = readOptions({
  name: 'node e2e/bench/compare.ts',
  about: 'Measures several checkouts of the service side by side, in turns; each has its node_modules.',
  options: {
    rounds: { type: 'number', value: 'N', default: 6, about: 'rounds of each' },
    seconds: { type: 'number', value: 'N', default: 2, about: 'how long each goes on' },
    connections: { type: 'number', value: 'N', default: 100, about: 'requests at once' },
    'per-second': { type: 'number', value: 'N', about: 'requests come at this pace, before an upstream of 1.5 s' },
    bytes: { type: 'number', value: 'N', default: 2_048, about: 'size of the answers' },
  },
  takes: 'FOLDER',
});

process.setMaxListeners(0);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const checkouts = given.rest.map((root) => ({ name: basename(root), root }));
for (const figures of await measureCheckouts(checkouts, given)) console.log(describeCheckout(figures));
