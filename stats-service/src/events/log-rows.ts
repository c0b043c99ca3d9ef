import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import { OTHER_ADDRESSES } from '@lontar/shared/event-tally.ts';
import { isGenerationRoute, type RequestEvent, reasonOf } from '@lontar/shared/request-event.ts';

/** Longest masked text that the log keeps, characters; gateways cut at 4,000, and this bounds whatever comes. */
const TEXT_CHARACTERS = 4_100;
/** The same for both texts as a gateway tells them, as JSON, where a character takes six at most. */
const TEXTS_JSON_CHARACTERS = 2 * 6 * TEXT_CHARACTERS;

/** A row about refused requests, in the form that `apply-events.lua` takes. */
export type RefusedRow = readonly [
  /**
   * Address, reason and second, and whether it was a request for generation: later ones of the same add to the row. Usage counts
   * requests for generation alone, so that a row of both would be of another number than that which it stands beside.
   */
  name: string,
  /** The name and the row that take its place where too many rows are open: those of all addresses of this kind. */
  sharedName: string,
  row: string,
  sharedRow: string,
  count: string,
];

/** The row of an event, JSON of a `LogRow` without its cursor. */
export function logRow(event: RequestEvent): string {
  const { endpoint, model, charged, masked, usage, finishReason, cause, route: upstream } = event.generation ?? {};
  const { attempts, queuedMs, modelMs, maskMs } = event.generation ?? {};
  const { id, at, route, method, status, outcome, error, message, responseMs, address, keyId } = event;
  const known = { id, at, route, method, status, outcome, error, message, ms: responseMs, address, keyId };
  const answer = { endpoint, model, charged, masked, tokens: usage, finishReason, cause, upstream };
  const row = { ...known, ...answer, attempts, queuedMs, modelMs, maskMs };
  // Fields that are absent are left out of the JSON.
  return JSON.stringify(row satisfies MaybeUndefined<Omit<LogRow, 'cursor'>>);
}

type MaybeUndefined<Row> = { readonly [Field in keyof Row]: Row[Field] | undefined };

export function refusedRow(event: RequestEvent, count: number): RefusedRow {
  const kind = `${isGenerationRoute(event.route) ? 'generation' : 'other'} ${reasonOf(event)}`;
  const { keyId: _, ...shared } = { ...event, address: OTHER_ADDRESSES };
  const rows = [logRow(event), logRow(shared)] as const;
  return [`${Math.floor(event.at / 1000)} ${event.address} ${kind}`, `shared ${kind}`, ...rows, String(count)];
}

/**
 * The masked texts of an event, JSON as `EventTexts`, or empty.
 *
 * @param texts as the gateway tells them, beside the event: they are many times longer than all else, so they are passed
 *   on unread, and judged when an operator reads them. Gateways of an earlier version told them inside the event.
 */
export function logTexts({ generation }: RequestEvent, texts?: string): string {
  if (texts !== undefined) return texts.length <= TEXTS_JSON_CHARACTERS ? texts : '';
  const prompt = generation?.promptPreview?.slice(0, TEXT_CHARACTERS).toWellFormed();
  const answer = generation?.answerPreview?.slice(0, TEXT_CHARACTERS).toWellFormed();
  return prompt === undefined && answer === undefined ? '' : JSON.stringify({ prompt, answer });
}
