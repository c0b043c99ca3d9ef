import { counterFields, OTHER_ADDRESSES, personMember, repeatField, usageFields } from '@lontar/shared/event-tally.ts';
import type { RequestEvent } from '@lontar/shared/request-event.ts';

/** Repeats kept in memory; while Redis is away, further ones are kept as counters. */
const MOST_REPEATS = 2_000;
/** Counters of single keys' usage kept in memory; beyond, keys are counted together. */
const MOST_USAGE = 5_000;
/** Distinct people kept in memory. */
const MOST_PEOPLE = 10_000;

interface Repeat {
  /** The event that stands for them. */
  readonly event: RequestEvent;
  count: number;
  /** The last of them. */
  latest: RequestEvent;
}

/** Requests that are counted as numbers, until they are sent. */
export interface Tally {
  readonly size: number;
  /** Requests that it stands for. */
  readonly requests: number;
  /** Requests like one that is an event. */
  readonly repeats: ReadonlyMap<string, Repeat>;
  readonly counters: ReadonlyMap<string, number>;
  /** Member to last request, Unix ms. */
  readonly people: ReadonlyMap<string, number>;
  /** Notes one request more like this one. Where it is of no address of its own, `actual` says whose it was. */
  addRepeat(event: RequestEvent, actual: RequestEvent): void;
  /** Notes a request of which no more can be sent than what it counts. */
  addCounted(event: RequestEvent): void;
  /** Takes one request out of the repeats, to be sent as an event; `undefined` where there is none. */
  takeOne(): RequestEvent | undefined;
  /** Makes counters of the repeats. */
  countRepeats(): void;
}

/** Bounded, whatever comes: repeats and people by number, counters because days have only so many of them. */
export function createTally(): Tally {
  const repeats = new Map<string, Repeat>();
  const counters = new Map<string, number>();
  const people = new Map<string, number>();
  let [requests, ofUsage] = [0, 0];
  const increase = (field: string, amount: number) => counters.set(field, (counters.get(field) ?? 0) + amount);
  const count = (event: RequestEvent, times: number) => {
    counterFields(event, (field, amount) => increase(field, amount * times));
    const isRoom = ofUsage < MOST_USAGE;
    const { keyId: _, ...together } = { ...event, address: OTHER_ADDRESSES };
    usageFields(isRoom || event.keyId === undefined ? event : together, (field, amount) => {
      if (!counters.has(field)) ofUsage++;
      increase(field, amount * times);
    });
  };
  const addPerson = (event: RequestEvent) => {
    const member = personMember(event);
    if (member === undefined || event.address === OTHER_ADDRESSES) return;
    if (people.size < MOST_PEOPLE || people.has(member)) people.set(member, event.at);
  };
  return {
    repeats,
    counters,
    people,
    get size() {
      return repeats.size + counters.size;
    },
    get requests() {
      return requests;
    },
    addRepeat(event, actual) {
      requests++;
      if (event.address === OTHER_ADDRESSES) addPerson(actual);
      const field = repeatField(event);
      const known = repeats.get(field);
      if (known) {
        known.count++;
        known.latest = actual;
      } else if (repeats.size < MOST_REPEATS) repeats.set(field, { event, count: 1, latest: actual });
      else count(event, 1);
    },
    addCounted(event) {
      requests++;
      addPerson(event);
      count(event, 1);
    },
    takeOne() {
      for (const [field, repeat] of repeats) {
        repeat.count--;
        if (repeat.count === 0) repeats.delete(field);
        return repeat.latest;
      }
      return undefined;
    },
    countRepeats() {
      for (const { event, count: times } of repeats.values()) count(event, times);
      repeats.clear();
    },
  };
}
