import { randomBytes } from 'node:crypto';
import type { ToolCall } from '@lontar/shared/chat-request.ts';
import type { MaskCounts } from '@lontar/shared/settlement/settlement.ts';
import type { Masker } from './masking/mask.ts';

/** Longer ones are no ids. */
const LONGEST_ID = 256;

export interface MaskedCall {
  readonly call: ToolCall;
  readonly counts: MaskCounts;
}

/**
 * The arguments of a tool call were JSON, and are none any more now that they are masked: a client could not read them, and
 * other arguments than the model's must not reach a tool.
 */
export class ArgumentsBroken extends Error {
  override readonly name = 'ArgumentsBroken';

  constructor() {
    // Nothing of the arguments may be in it.
    super('masking broke the arguments of a tool call');
  }
}

/**
 * Masks the name and the arguments of a tool call, in steps as `Masker.maskInSlices`. Arguments that were no JSON are the
 * model's mistake, and stay none. The id is the upstream's own; one that would be masked is replaced.
 *
 * @throws ArgumentsBroken; MaskingBudgetExceeded where `mask` does
 */
export function* maskToolCall(masker: Masker, call: ToolCall): Generator<undefined, MaskedCall> {
  const counts = noCounts();
  const name = yield* maskAndCount(masker, call.name, counts);
  const json = yield* maskArguments(masker, call.arguments, counts);
  const isId = call.id.length <= LONGEST_ID && (yield* masker.maskInSlices(call.id)).text === call.id;
  return { call: { id: isId ? call.id : `call_${randomBytes(12).toString('hex')}`, name, arguments: json }, counts };
}

function* maskArguments(masker: Masker, given: string, counts: MaskCounts): Generator<undefined, string> {
  const whole = noCounts();
  const masked = yield* maskAndCount(masker, given, whole);
  if (masked === given || isJson(masked) || !isJson(given)) {
    addCounts(counts, whole);
    return masked;
  }
  // What is masked has run over the end of a string, as where quotes in it are escaped: string by string it cannot. What
  // only the name before it tells to be a secret is found after that.
  const byString = yield* maskStrings(masker, given, counts);
  const again = yield* maskAndCount(masker, byString, counts);
  if (!isJson(again)) throw new ArgumentsBroken();
  return again;
}

/** Masks each string of a JSON text by itself, names included. */
function* maskStrings(masker: Masker, json: string, counts: MaskCounts): Generator<undefined, string> {
  let output = '';
  let written = 0;
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', written)) {
    let end = start + 1;
    while (end < json.length && json.charAt(end) !== '"') end += json.charAt(end) === '\\' ? 2 : 1;
    const string = JSON.parse(json.slice(start, ++end)) as string;
    const masked = yield* maskAndCount(masker, string, counts);
    output += json.slice(written, start) + (masked === string ? json.slice(start, end) : JSON.stringify(masked));
    written = end;
  }
  return output + json.slice(written);
}

export function noCounts(): MaskCounts {
  return { url: 0, key: 0, ip: 0, connection: 0 };
}

export function addCounts(sum: MaskCounts, counts: Readonly<MaskCounts>): void {
  sum.url += counts.url;
  sum.key += counts.key;
  sum.ip += counts.ip;
  sum.connection += counts.connection;
}

/** Masks a whole text in steps, and adds what was masked to `counts`. @throws as `Masker.maskInSlices` */
export function* maskAndCount(masker: Masker, text: string, counts: MaskCounts): Generator<undefined, string> {
  const { text: masked, spans } = yield* masker.maskInSlices(text);
  for (const { type } of spans) counts[type]++;
  // Of two equal texts the one that is in use elsewhere, too, is kept in memory. The masked one is made of pieces, which are joined only
  // where something has been masked.
  const isSame = spans.length === 0 ? masked.length === text.length : masked === text;
  return isSame ? text : masked;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
