import { parseArgs } from 'node:util';
import { createReport, type Figure } from './report.ts';
import { SCENARIOS } from './scenarios.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
  },
});
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
const print = (line: string) => void process.stdout.write(`${line}\n`);
const seed = Number(values.seed);
const figures: Figure[] = [];
const broken: string[] = [];
print(`seed ${seed}`);
for (const scenario of SCENARIOS.filter(({ name }) => values.only?.includes(name) ?? true)) {
  const lacks = scenario.missing?.();
  if (lacks !== undefined) {
    print(`\n${scenario.name} is skipped: ${lacks}`);
    continue;
  }
  print(`\n${scenario.about}`);
  const report = createReport(scenario.name, print);
  try {
    const minutes = Number(values.minutes);
    await scenario.run({ seed, quick: values.quick, minutes, report, interrupted: interrupted.signal });
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
