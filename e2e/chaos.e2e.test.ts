import { describe, test } from '@jest/globals';
import { createReport } from './chaos/report.ts';
import { SCENARIOS } from './chaos/scenarios.ts';

/** Says which faults come when; a failure is repeated with the seed that it printed. */
const SEED = Number(process.env['SEED'] ?? '7');
/** The others need minutes, or a machine of their own; `npm run chaos` runs them all. */
const QUICK = new Set([
  'worker-killed-after-settling',
  'zombie-worker',
  'redis-connections-lost',
  'failover-asked',
  'client-leaves-queue',
  'gateway-killed',
  'streams-cut',
  'other-job-formats',
  'worker-clock-jumps',
  'random-faults',
]);

// Two at a time, each on a system of its own: most of their time is waiting for locks and leases to end.
describe('under faults nothing is lost, doubled or hung', () => {
  for (const scenario of SCENARIOS.filter(({ name }) => QUICK.has(name))) {
    const lacks = scenario.missing?.();
    (lacks === undefined ? test.concurrent : test.concurrent.skip)(
      `${scenario.name} (seed ${SEED})`,
      async () => {
        const lines: string[] = [];
        const report = createReport(scenario.name, (line) => lines.push(line));
        await scenario.run({ seed: SEED, quick: true, minutes: 0.25, report }).finally(() => {
          process.stdout.write(`${lines.join('\n')}\n`);
        });
        // Times and speeds are printed; a busy machine must not fail a test by them.
        const failed = report.figures.filter(({ timed, passed }) => !timed && !passed);
        if (failed.length > 0) throw new Error(failed.map(({ what, value }) => `${what}: ${value}`).join('\n'));
      },
      400_000,
    );
  }
});
