import { ASKING, statesOf } from './asking-states.ts';
import { KEY_STATES } from './key-states.ts';
import { OVERVIEW_STATES } from './overview-states.ts';
import { PLAYGROUND_STATES, type PlaygroundState } from './playground-states.ts';

/** Every state of every page. */
export const STATES: readonly PlaygroundState[] = [
  ...OVERVIEW_STATES,
  ...ASKING.flatMap(statesOf),
  ...KEY_STATES,
  ...PLAYGROUND_STATES,
];
