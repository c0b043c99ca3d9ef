import type { FieldFault } from '../envelope/answer.ts';
import { showValue } from '../envelope/show-value.ts';

/** A JSON object that a caller sent. */
export type Json = Readonly<Record<string, unknown>>;

/** A field of a request that breaks a rule; caught where the request is read, so it never leaves this room. */
export class InvalidField extends Error {
  /** Where the field is, as callers write it: `messages[2].content`. */
  readonly param: string;
  readonly fault: FieldFault | undefined;
  /** `context_exceeded`: all together is longer than may be. */
  readonly error: 'invalid_parameter' | 'context_exceeded' | 'model_not_found';

  constructor(param: string, message: string, more: { fault?: FieldFault; error?: InvalidField['error'] } = {}) {
    super(message);
    this.param = param;
    this.fault = more.fault;
    this.error = more.error ?? 'invalid_parameter';
  }
}

/** @throws InvalidField, which says what the field must be and what was given */
export function mustBe(param: string, rule: string, value: unknown): never {
  if (value === undefined) return isMissing(param, `send ${rule}`);
  throw new InvalidField(param, `${param} must be ${rule}; ${showValue(value)} was given.`);
}

/** @throws InvalidField, which says what to send */
export function isMissing(param: string, advice: string): never {
  throw new InvalidField(param, `${param} is required: ${advice}.`, { fault: 'missing' });
}

/** @throws InvalidField, which says why the field is of no use here */
export function isUnsupported(param: string, advice: string): never {
  throw new InvalidField(param, `${param} is not supported here: ${advice}.`, { fault: 'unsupported' });
}

/** Many clients write `null` for what they leave out. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws InvalidField where the value is no object */
export function readObject(value: unknown, param: string): Json {
  return isObject(value) ? value : mustBe(param, 'an object', value);
}

/** @throws InvalidField where the value is no list, or longer than `most` */
export function readList(value: unknown, param: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) return mustBe(param, 'a list', value);
  if (value.length <= most) return value as readonly unknown[];
  throw new InvalidField(param, `${param} must have at most ${most} entries; ${value.length} were given.`);
}

/** @throws InvalidField where the field is given and no number within the rule */
export function readNumber(
  object: Json,
  name: string,
  rule: { readonly least: number; readonly most: number; readonly isWhole?: true },
): number | undefined {
  const value = object[name];
  if (isAbsent(value)) return undefined;
  const { least, most, isWhole } = rule;
  const fits = typeof value === 'number' && value >= least && value <= most && (!isWhole || Number.isInteger(value));
  return fits ? value : mustBe(name, `${isWhole ? 'a whole number' : 'a number'} from ${least} to ${most}`, value);
}

/** @throws InvalidField where the field is given and neither true nor false */
export function readFlag(object: Json, name: string, param: string = name): boolean | undefined {
  const value = object[name];
  if (isAbsent(value)) return undefined;
  return typeof value === 'boolean' ? value : mustBe(param, 'true or false', value);
}

/** @throws InvalidField where the text is longer than `most` UTF-16 units, holds NUL, or is no Unicode */
export function checkText(text: string, param: string, most: number = Number.POSITIVE_INFINITY): string {
  if (text.length > most) {
    throw new InvalidField(param, `${param} must have at most ${most} characters; ${text.length} were given.`);
  }
  if (text.includes('\0')) throw new InvalidField(param, `${param} must not hold NUL characters; remove them.`);
  if (!text.isWellFormed()) {
    throw new InvalidField(param, `${param} must be valid Unicode; it holds half of a surrogate pair.`);
  }
  return text;
}

/** @throws InvalidField where the value is no text, or one that `checkText` refuses */
export function readText(value: unknown, param: string, most?: number): string {
  return typeof value === 'string' ? checkText(value, param, most) : mustBe(param, 'text', value);
}
