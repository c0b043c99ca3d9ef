import { repeatedKeyMessage } from '../caller/identify.ts';
import type { GivenKey, PresentedKey } from '../envelope/request-context.ts';
import { showValue } from '../envelope/show-value.ts';
import { defaultOutputTokens, GENERATION_RULES, listModelNames, type ReadingLimits } from './generation-rules.ts';

/** What a caller asks for, checked. */
export interface GenerationAsk {
  readonly prompt: string;
  /** Its public name, also where the caller gave an alias. */
  readonly model: string;
  readonly temperature: number;
  readonly maxOutputTokens: number;
  /** The caller did not say how many. */
  readonly isDefaultOutput: boolean;
}

export type GenerationReading =
  | { readonly kind: 'ask'; readonly ask: GenerationAsk; readonly key: PresentedKey }
  | { readonly kind: 'missing'; readonly missing: { readonly key: boolean; readonly prompt: boolean } }
  | { readonly kind: 'invalid'; readonly message: string; readonly key?: PresentedKey };

/** A field's values in the order they were given; more than one is refused. */
export type GivenFields = ReadonlyMap<string, readonly unknown[]>;

/**
 * Reads a generation request out of its fields and its key, whichever of query, body and headers they came from.
 *
 * @returns the request with defaults filled in; `missing` when key or prompt are absent or blank, and which; `invalid` with a
 *   message that names the parameter, the rule and the value given
 */
export function readGeneration(fields: GivenFields, given: GivenKey, limits: ReadingLimits): GenerationReading {
  const prompt = single(fields, 'prompt');
  const key = given.kind === 'presented' ? given.key : undefined;
  const invalid = (message: string): GenerationReading => ({ kind: 'invalid', message, ...(key && { key }) });
  if (given.kind === 'repeated') return invalid(repeatedKeyMessage(given.times));
  if (!prompt.ok) return invalid(prompt.message);
  const missing = { key: given.kind === 'absent' || given.kind === 'blank', prompt: isBlank(prompt.value) };
  if (missing.key || missing.prompt) return { kind: 'missing', missing };
  if (key === undefined) return invalid('apikey must be text.');

  const checked = checkPrompt(prompt.value, limits.maxPromptChars);
  if (!checked.ok) return invalid(checked.message);
  const model = readModel(fields, limits);
  if (!model.ok) return invalid(model.message);
  const temperature = readNumber(fields, 'temperature', {
    ...GENERATION_RULES.temperature,
    whole: false,
  });
  if (!temperature.ok) return invalid(temperature.message);
  const maxOutputTokens = readNumber(fields, 'maxOutputTokens', {
    least: GENERATION_RULES.maxOutputTokens.least,
    most: limits.maxOutputTokens,
    whole: true,
    byDefault: defaultOutputTokens(limits),
  });
  if (!maxOutputTokens.ok) return invalid(maxOutputTokens.message);
  const ask = {
    prompt: checked.value,
    model: model.value,
    temperature: temperature.value,
    maxOutputTokens: maxOutputTokens.value,
    isDefaultOutput: (fields.get('maxOutputTokens') ?? []).every((value) => value === undefined || value === null),
  };
  return { kind: 'ask', ask, key };
}

type Read<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly message: string };

function single(fields: GivenFields, name: string): Read<unknown> {
  const values = fields.get(name) ?? [];
  if (values.length > 1) return { ok: false, message: `${name} was given ${values.length} times; give it once.` };
  return { ok: true, value: values[0] };
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

function checkPrompt(value: unknown, maxChars: number): Read<string> {
  const refuse = (message: string) => ({ ok: false, message }) as const;
  if (typeof value !== 'string') return refuse(`prompt must be text; ${showValue(value)} was given.`);
  const length = characters(value, maxChars);
  if (length > maxChars) {
    return refuse(`prompt must have at most ${maxChars} characters; ${length} were given. Shorten it.`);
  }
  if (value.includes('\0')) return refuse('prompt must not hold NUL characters; remove them.');
  if (!value.isWellFormed()) return refuse('prompt must be valid Unicode; it holds half of a surrogate pair.');
  return { ok: true, value };
}

/** Counts code points, but only where the cheap upper bound does not settle it. */
function characters(text: string, most: number): number {
  return text.length <= most ? text.length : Array.from(text).length;
}

function readModel(fields: GivenFields, { models }: ReadingLimits): Read<string> {
  const given = single(fields, 'model');
  if (!given.ok) return given;
  if (given.value === undefined || given.value === null) return { ok: true, value: GENERATION_RULES.defaultModel };
  const known = typeof given.value === 'string' ? models.current.resolve(given.value) : undefined;
  if (known !== undefined) return { ok: true, value: known };
  return {
    ok: false,
    message: `model must be one of ${listModelNames(models)}; ${showValue(given.value)} was given.`,
  };
}

function readNumber(
  fields: GivenFields,
  name: string,
  rule: { least: number; most: number; whole: boolean; byDefault: number },
): Read<number> {
  const given = single(fields, name);
  if (!given.ok) return given;
  if (given.value === undefined || given.value === null) return { ok: true, value: rule.byDefault };
  const value = toNumber(given.value);
  const fits = value >= rule.least && value <= rule.most && (!rule.whole || Number.isInteger(value));
  if (fits) return { ok: true, value };
  const kind = rule.whole ? 'a whole number' : 'a number';
  const message = `${name} must be ${kind} from ${rule.least} to ${rule.most}; ${showValue(given.value)} was given.`;
  return { ok: false, message };
}

/** Decimal notation only: `0x10`, `1e3`, blanks and `Infinity` are typing errors here. */
function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^[+-]?(\d{1,12}(\.\d{0,12})?|\.\d{1,12})$/.test(value)
    ? Number(value)
    : Number.NaN;
}
