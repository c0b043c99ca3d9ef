import type { RecentOutcomes } from '@lontar/shared/moments.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** Points of ten seconds that are looked at: two minutes. */
export const ANSWER_POINTS = 12;
/** Fewer failures may be chance. */
const LEAST_FAILURES = 3;
const LEAST_RATE = 0.95;

/** Judges by what callers got in the last two minutes, whatever all parts of the service say of themselves. */
export function checkAnswers({ successes, failures }: RecentOutcomes): Finding {
  const all = successes + failures;
  if (all === 0) return ok('answers', 'No request was answered in the last two minutes.');
  if (failures === 0) return ok('answers', `All requests of the last two minutes were answered: ${all}.`);
  const what = `${failures} of the ${all} requests of the last two minutes failed on our side`;
  if (failures < LEAST_FAILURES) return ok('answers', `${what}. Fewer than ${LEAST_FAILURES} may be chance.`);
  if (successes / all >= LEAST_RATE) return ok('answers', `${what}, less than 5 %.`);
  const how =
    'The gateway\'s log says why ("level":"warn" or "error"); what to do: /docs/runbooks/error-budget-burn-fast';
  return (successes === 0 ? failed : warning)('answers', `${what}. ${how}`);
}
