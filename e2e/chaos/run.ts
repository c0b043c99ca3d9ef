import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { createReport, type Figure } from './report.ts';
import { SCENARIOS } from './scenarios.ts';

/** What the names of several scenarios begin with. */
const GROUPS = Object.entries(Object.groupBy(SCENARIOS, ({ name }) => name.split('-', 1)[0] ?? name))
  .filter(([, group]) => (group?.length ?? 0) > 1)
  .map(([word]) => word);
const options = readOptions({
  name: 'npm run chaos --',
  about: 'Causes faults on real processes, prints each figure with pass or FAIL, and ends with 1 if one failed.',
  options: {
    minutes: { type: 'number', value: 'N', default: 30, about: 'how long random faults, and then the soak, go on' },
    seed: { type: 'number', value: 'N', about: 'what random faults come of; another one each time where not given' },
    quick: { type: 'flag', about: 'few samples: shows that facts hold, and says little about times' },
    redis: {
      type: 'names',
      choices: ['one', 'sentinel'],
      about: 'what random-faults runs on: one Redis, or three with Sentinels, where failovers are faults too',
    },
    rounds: { type: 'number', value: 'N', about: 'how often each failover happens; 20, and once with --quick' },
    only: {
      type: 'names',
      choices: [...GROUPS, ...SCENARIOS.map(({ name }) => name)],
      about: 'these scenarios alone; a first word stands for all that begin with it',
    },
  },
});
const isWanted = (name: string) =>
  options.only?.some((wanted) => name === wanted || (GROUPS.includes(wanted) && name.startsWith(`${wanted}-`))) ?? true;
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
const print = (line: string) => void process.stdout.write(`${line}\n`);
const { seed = Date.now() % 100_000, minutes, quick, rounds } = options;
const figures: Figure[] = [];
const broken: string[] = [];
print(`seed ${seed}`);
for (const scenario of SCENARIOS.filter(({ name }) => isWanted(name))) {
  const lacks = scenario.missing?.();
  if (lacks !== undefined) {
    print(`\n${scenario.name} is skipped: ${lacks}`);
    continue;
  }
  print(`\n${scenario.about}`);
  const report = createReport(scenario.name, print);
  try {
    await scenario.run({
      ...{ seed, quick, minutes, report },
      ...(rounds !== undefined && { rounds }),
      hasSentinels: options.redis?.includes('sentinel') ?? false,
      interrupted: interrupted.signal,
    });
  } catch (error) {
    if (interrupted.signal.aborted) process.exit(130);
    broken.push(scenario.name);
    print(`FAIL  ${scenario.name}: ${error instanceof Error ? error.stack : String(error)}`);
  }
  figures.push(...report.figures);
}
const failed = figures.filter(({ passed }) => !passed);
print(
  `\n${figures.length} figures, ${failed.length} failed; ${broken.length} scenarios broken off: ${broken.join(' ')}`,
);
process.exit(failed.length + broken.length > 0 ? 1 : 0);
