import { z } from 'zod';

const moment = z.number().int().nonnegative().default(0);
const stateSchema = z.object({
  /** Grows with each change: what is read late does not take the place of what is known already. */
  seq: moment,
  failuresInRow: moment,
  /** Slots of five seconds, each as three numbers: its number, answers, failures. */
  window: z.array(z.number().int()).default([]),
  /** How often the breaker has opened without closing in between. */
  opens: moment,
  /** When one call may try it, Unix ms by Redis; 0 while the breaker is closed. */
  openUntil: moment,
  /** The kind of error that opened it. */
  openedBy: z.string().default(''),
  /** Id of the call that tries it. */
  probe: z.string().default(''),
  /** When the breaker closed, Unix ms: how calls end that had begun before says nothing of the upstream as it is now. */
  closedAt: moment,
  /** Until when the upstream wants no call, Unix ms. */
  aloneUntil: moment,
  /** When it had said that calls may come again, and one is to try that first, Unix ms; 0 where an answer has come since. */
  tryFrom: moment,
  /** How many calls it is taken to bear at once, in thousandths; 0 for no limit. */
  limit: moment,
  /** How many it had when it last did not bear them, in thousandths. */
  ceiling: moment,
  /** When the limit was last cut, Unix ms: calls from before cannot have kept to it. */
  cutAt: moment,
  /** When it last did not bear its calls, Unix ms. */
  troubledAt: moment,
});

/** What the fleet knows of an upstream, as it is kept in Redis. Workers change it; stats-service shows it. */
export type UpstreamState = z.infer<typeof stateSchema>;

export const UNKNOWN_STATE: UpstreamState = stateSchema.parse({});

/**
 * What a call says of its upstream. `answered`: it is well, whatever it thought of the request; `limited`: it takes no more
 * calls now; `stalled`: a failure that may come of too many calls; `unknown`: our own side ended the call.
 */
export const OUTCOME_CLASSES = ['answered', 'failed', 'stalled', 'limited', 'unauthorized', 'unknown'] as const;
export type OutcomeClass = (typeof OUTCOME_CLASSES)[number];

/**
 * Reads a state from Redis.
 *
 * @returns `undefined` where it is none that this version can read, or nothing
 */
export function parseState(text: string): UpstreamState | undefined {
  if (text === '') return undefined;
  try {
    return stateSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
