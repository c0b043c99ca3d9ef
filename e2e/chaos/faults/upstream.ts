import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { loadFor } from '../../harness/load.ts';
import { statusOf, tookMs } from '../ledger.ts';
import { onSystem, type Scenario } from '../scenario.ts';
import { BAD_MOODS, badMood } from '../upstream-moods.ts';

const EXPECTED = new Set([200, 502, 504]);

export const upstreamScenarios: readonly Scenario[] = [
  {
    name: 'upstream-chaos',
    about: `Half of all model calls go wrong, in ${BAD_MOODS.length} ways.`,
    run: (context) =>
      onSystem(context, { workers: 2, stats: true, settings: { MODEL_TIMEOUT_MS: '1000' } }, async (system) => {
        const random = seededRandom(context.seed);
        system.behave((nonce) => (random() < 0.5 ? badMood(random) : system.answer(nonce, 50)));
        const entries = await loadFor(context.quick ? 8 : 60, 20, () => system.send());
        for (const status of [200, 502, 504]) {
          context.report.fact(`answered ${status}`, entries.filter((entry) => statusOf(entry) === status).length);
        }
        const other = entries.filter((entry) => !EXPECTED.has(statusOf(entry)));
        context.report.fact('answered otherwise', other.length, { atMost: 0 });
        context.report.timed('slowest', Math.max(...entries.map(tookMs)), { atMost: 21_000 });
      }),
  },
];
