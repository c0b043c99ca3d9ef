import type { RequestContext } from '../envelope/request-context.ts';
import { showValue } from '../envelope/show-value.ts';
import { BEGINNING, type Cursor, END, NO_REASONING } from '../live/cursor.ts';
import { wantsEvents } from './event-accept.ts';
import type { ReadingProblem } from './protocol.ts';

/** No answer is as long; a number beyond it is a mistake. UTF-16 units. */
const MOST_OFFSET = 100_000_000;

/** What a caller wants who asks for an answer once more. */
export type ResumeReading =
  | { readonly ok: true; readonly isStream: boolean; readonly from: Cursor; readonly includeUsage: boolean }
  | { readonly ok: false; readonly problem: ReadingProblem };

/**
 * Reads from where on a caller wants an answer, and whether as events: by `stream=true`, or by what a client that reads
 * event streams sends itself. `Last-Event-ID` counts before `starting_after`: it is newer where a client connects again.
 *
 * @param name what the answer is called in this protocol, as it stands in the ids of its events
 */
export function readResume({ query, headers }: Pick<RequestContext, 'query' | 'headers'>, name: string): ResumeReading {
  const stream = readFlag(query, 'stream');
  if (!stream.ok) return stream;
  const includeUsage = readFlag(query, 'include_usage');
  if (!includeUsage.ok) return includeUsage;
  const after = readOffset(query);
  if (!after.ok) return after;
  const last = readLastEvent(headers['last-event-id'], name);
  if (!last.ok) return last;
  return {
    ok: true,
    isStream: stream.value ?? (last.value !== undefined || wantsEvents(headers.accept)),
    includeUsage: includeUsage.value ?? false,
    from: last.value ?? after.value ?? BEGINNING,
  };
}

/**
 * The request whose stream a client reads again that only knows the address it asked before: a browser's EventSource, when
 * its connection has broken. It wants the rest, and no other answer.
 *
 * @returns `undefined` for all other clients
 */
export function reconnectedTo({ method, headers }: Pick<RequestContext, 'method' | 'headers'>): string | undefined {
  if (method !== 'GET' || !wantsEvents(headers.accept)) return undefined;
  return /^(req_[0-9A-Za-z]{22}):/.exec(String(headers['last-event-id'] ?? ''))?.[1];
}

type Read<Value> = { readonly ok: true; readonly value: Value | undefined } | Refused;
type Refused = { readonly ok: false; readonly problem: ReadingProblem };

function refused(param: string, message: string): Refused {
  return { ok: false, problem: { error: 'invalid_parameter', message, param } };
}

function single(query: URLSearchParams, name: string): Read<string> {
  const values = query.getAll(name);
  if (values.length > 1) return refused(name, `${name} was given ${values.length} times; give it once.`);
  return { ok: true, value: values[0] };
}

function readFlag(query: URLSearchParams, name: string): Read<boolean> {
  const given = single(query, name);
  if (!given.ok || given.value === undefined) return given as Read<boolean>;
  if (given.value === 'true' || given.value === 'false') return { ok: true, value: given.value === 'true' };
  return refused(name, `${name} must be true or false; ${showValue(given.value)} was given.`);
}

/** An offset in the text: who has some of it has had the reasoning. */
function readOffset(query: URLSearchParams): Read<Cursor> {
  const name = 'starting_after';
  const given = single(query, name);
  if (!given.ok || given.value === undefined) return given as Read<Cursor>;
  const text = readNumber(given.value);
  if (text === undefined) {
    const rule = `a whole number from 0 to ${MOST_OFFSET}, the UTF-16 units of the text that you have`;
    return refused(name, `${name} must be ${rule}; ${showValue(given.value)} was given.`);
  }
  return { ok: true, value: { ...BEGINNING, text, reasoning: text === 0 ? 0 : NO_REASONING } };
}

function readLastEvent(given: string | string[] | undefined, name: string): Read<Cursor> {
  if (given === undefined) return { ok: true, value: undefined };
  const [, of, cursor = ''] = /^([^:]*):(.*)$/.exec(String(given)) ?? [];
  if (of === name && cursor === END) {
    return refused('Last-Event-ID', `Last-Event-ID is that of the last event of ${name}: nothing follows.`);
  }
  const [reasoning, text, calls] = cursor.split('.').map((part) => (part === '-' ? NO_REASONING : readNumber(part)));
  const isWhole = cursor.split('.').length === 3 && cursor.lastIndexOf('-') <= 0;
  if (of !== name || !isWhole || reasoning === undefined || text === undefined || calls === undefined) {
    const message = `Last-Event-ID must be the id of an event of ${name}; ${showValue(given)} was given.`;
    return refused('Last-Event-ID', message);
  }
  return { ok: true, value: { reasoning, text, calls } };
}

function readNumber(text: string): number | undefined {
  if (!/^[0-9]{1,9}$/.test(text)) return undefined;
  const number = Number(text);
  return number <= MOST_OFFSET ? number : undefined;
}
