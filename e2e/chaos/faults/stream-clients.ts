import type { Scenario } from '../scenario.ts';
import { NOTHING, streamScenario } from '../streams/cut-streams.ts';

/** Clients that leave their streams. */
export const streamClientScenarios: readonly Scenario[] = [
  streamScenario({
    name: 'streams-clients-leave',
    about: 'Clients leave their streams anywhere, and come back by any gateway for the rest; some leave for good.',
    faults: [NOTHING],
    leaving: 0.2,
    isWhole: true,
  }),
];
