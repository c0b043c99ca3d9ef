import type { LogRow } from '@lontar/shared/dashboard-contract.ts';
import { OTHER_ADDRESSES } from '@lontar/shared/event-tally.ts';
import { type EventTexts, type RequestEvent, reasonOf } from '@lontar/shared/request-event.ts';

/** Longest masked text that the log keeps, characters; gateways cut at 4,000, and this bounds whatever comes. */
const TEXT_CHARACTERS = 4_100;

/** A row about refused requests, in the form that `apply-events.lua` takes. */
export type RefusedRow = readonly [
  /** Address, reason and second: later ones of the same add to the row. */
  name: string,
  /** The name and the row that take its place where too many rows are open: those of all addresses with this reason. */
  sharedName: string,
  row: string,
  sharedRow: string,
  count: string,
];

export function logRow(event: RequestEvent): Omit<LogRow, 'cursor'> {
  const { endpoint, model, charged, masked, usage, attempts, queuedMs, modelMs, maskMs } = event.generation ?? {};
  const { id, at, route, method, status, outcome, error, responseMs, address, keyId } = event;
  const known = { id, at, route, method, status, outcome, error, ms: responseMs, address, keyId };
  const row = { ...known, endpoint, model, charged, masked, tokens: usage, attempts, queuedMs, modelMs, maskMs };
  return JSON.parse(JSON.stringify(row)) as Omit<LogRow, 'cursor'>;
}

export function refusedRow(event: RequestEvent, count: number): RefusedRow {
  const reason = reasonOf(event);
  const { keyId: _, ...shared } = { ...event, address: OTHER_ADDRESSES };
  const rows = [JSON.stringify(logRow(event)), JSON.stringify(logRow(shared))] as const;
  return [`${Math.floor(event.at / 1000)} ${event.address} ${reason}`, `shared ${reason}`, ...rows, String(count)];
}

/** Gateways tell texts beside the event; those of an earlier version did so inside it. */
export function logTexts({ generation }: RequestEvent, texts?: EventTexts): string {
  const given = texts ?? { prompt: generation?.promptPreview, answer: generation?.answerPreview };
  const prompt = given.prompt?.slice(0, TEXT_CHARACTERS).toWellFormed();
  const answer = given.answer?.slice(0, TEXT_CHARACTERS).toWellFormed();
  return prompt === undefined && answer === undefined ? '' : JSON.stringify({ prompt, answer });
}
