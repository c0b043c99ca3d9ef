import { parsePerson, parseTallyField } from '@lontar/shared/event-tally.ts';
import { machineNow } from '@lontar/shared/machine-time.ts';
import { requestEventSchema } from '@lontar/shared/request-event.ts';
import { readerOf } from '@lontar/shared/shape-check.ts';
import type { Numbers, Told } from './plan-batch.ts';

/** An entry of the stream of events as Redis gives it. */
export type Entry = readonly [id: string, fields: readonly string[] | null];

/** What take-tally.lua gives. */
export type TakenTally = readonly [token: string, fields: readonly string[], people: readonly string[]];

/** What a gateway's entry takes beside its texts, bytes: the same number as in append-events.lua. */
const ENTRY_BYTES = 64;

/** An entry as it is counted. */
export interface ReadEntry {
  /** `undefined` where the event cannot be understood. */
  readonly told: Told | undefined;
  /** Bytes that the entry takes in the stream, as its gateway has counted them. */
  readonly bytes: number;
}

const readEvent = readerOf(requestEventSchema);

export function readEntry([, fields]: Entry): ReadEntry {
  const [json, texts] = [fieldOf(fields, 'event'), fieldOf(fields, 'texts')];
  const bytes = ENTRY_BYTES + Buffer.byteLength(json ?? '') + Buffer.byteLength(texts ?? '');
  const event = readEvent(parseJson(json));
  if (event === undefined || !isPlausibleTime(event.at)) return { told: undefined, bytes };
  return { told: { event, texts, count: 1 }, bytes };
}

/** What was sent as numbers: requests that repeat one sent already, and counters; and what cannot be understood. */
export function parseTally([, fields, members]: TakenTally): {
  readonly repeats: readonly Told[];
  readonly numbers: Numbers;
  readonly malformed: number;
} {
  const repeats: Told[] = [];
  const counters: [Numbers['counters'][number][0], number][] = [];
  let malformed = 0;
  for (const [text, count] of pairsOf(fields)) {
    const field = parseTallyField(text);
    if (field === undefined || !(count > 0)) malformed++;
    else if (field.kind !== 'repeat') counters.push([field, count]);
    else if (isPlausibleTime(field.event.at)) repeats.push({ event: field.event, count });
    else malformed += count;
  }
  const people = pairsOf(members).flatMap(([member, at]) => {
    const person = parsePerson(member);
    return person === undefined ? [] : [[person, at] as const];
  });
  return { repeats, numbers: { counters, people }, malformed };
}

function pairsOf(list: readonly string[]): [string, number][] {
  return Array.from({ length: Math.floor(list.length / 2) }, (_, index) => [
    list[2 * index] ?? '',
    Number(list[2 * index + 1]),
  ]);
}

function fieldOf(fields: readonly string[] | null, name: string): string | undefined {
  const at = fields?.indexOf(name) ?? -1;
  return at < 0 ? undefined : fields?.[at + 1];
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a moment is after Lontar's beginning and at most a day ahead; others would make days that never expire. */
function isPlausibleTime(at: number): boolean {
  return at > Date.UTC(2025, 0) && at < machineNow() + 86_400_000;
}
