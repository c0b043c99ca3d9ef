import { OTHER_ADDRESSES } from '@lontar/shared/event-tally.ts';
import { type RequestEvent, reasonOf } from '@lontar/shared/request-event.ts';

/** Kinds of refusals that are sent one by one in a second; further addresses are sent together. */
const MOST_KINDS = 100;

export interface StandIn {
  /** The event that a request is like; of another address where too many addresses came in this second. */
  readonly event: RequestEvent;
  /** How many requests of this second it stands for by now, itself aside. */
  repeats: number;
}

/**
 * Finds what a refused request repeats: one of the same second that is like it in everything that is counted. A flood
 * makes a few kinds of thousands of requests.
 *
 * @returns asked for each refused request: what stands for it, or `undefined` for the first of its kind
 */
export function createRepeats(): (event: RequestEvent) => StandIn | undefined {
  let second = Number.NaN;
  let kinds = new Map<string, StandIn>();
  return (event) => {
    if (Math.floor(event.at / 1000) !== second) [second, kinds] = [Math.floor(event.at / 1000), new Map()];
    const { address, keyId, ...rest } = event;
    const kind = `${event.route} ${event.status} ${event.outcome} ${reasonOf(event)}`;
    const own = `${address} ${keyId} ${kind}`;
    let standIn = kinds.get(own);
    if (standIn === undefined && kinds.size < MOST_KINDS) {
      kinds.set(own, { event, repeats: 0 });
      return undefined;
    }
    // Routes, outcomes and errors are closed sets, so that the kinds of all other addresses together are few.
    standIn ??= kinds.get(kind) ?? { event: { ...rest, address: OTHER_ADDRESSES }, repeats: 0 };
    if (standIn.event.address === OTHER_ADDRESSES) kinds.set(kind, standIn);
    standIn.repeats++;
    return standIn;
  };
}
