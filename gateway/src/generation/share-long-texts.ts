import { isRawJson, JsonBytes } from '@lontar/shared/json-bytes.ts';

/** Characters from which on a text is shared. */
const LONG = 16_384;

/** What is shared of an answer, by what stands in its bodies: texts, and JSON of texts, which may read like another text. */
interface Shared {
  readonly texts: Map<string, JsonBytes>;
  readonly literals: Map<string, JsonBytes>;
}

const sharedOf = new WeakMap<object, Shared>();

/**
 * An answer's body in which long texts stand as bytes that all bodies of the same answer share. Each body would otherwise have a copy
 * of its own, for as long as its reader takes to read it: hundreds of readers of one answer of megabytes.
 *
 * @param found the answer, the same object for all whose bodies are to share
 * @returns the same body where no text in it is long
 */
export function shareLongTexts(body: unknown, found: object): unknown {
  const { texts, literals } = sharedFor(found);
  const shareIn = (value: unknown): unknown => {
    if (typeof value === 'string') return value.length > LONG ? share(texts, value, JSON.stringify) : value;
    if (typeof value !== 'object' || value === null || value instanceof JsonBytes) return value;
    if (isRawJson(value)) {
      const { rawJSON } = value;
      return rawJSON.length > LONG ? share(literals, rawJSON, asItIs) : value;
    }
    if (Array.isArray(value)) return keepIfSame(value, value.map(shareIn));
    const entries = Object.entries(value);
    const shared = entries.map(([, one]) => shareIn(one));
    if (shared.every((one, index) => one === entries[index]?.[1])) return value;
    return Object.fromEntries(entries.map(([name], index) => [name, shared[index]]));
  };
  return shareIn(body);
}

function keepIfSame(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((one, index) => one === before[index]) ? before : after;
}

function sharedFor(found: object): Shared {
  const shared = sharedOf.get(found) ?? { texts: new Map(), literals: new Map() };
  sharedOf.set(found, shared);
  return shared;
}

function share(known: Map<string, JsonBytes>, text: string, asJson: (text: string) => string): JsonBytes {
  const shared = known.get(text) ?? new JsonBytes(Buffer.from(asJson(text)), true);
  known.set(text, shared);
  return shared;
}

const asItIs = (json: string) => json;
