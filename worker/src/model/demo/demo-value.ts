import { demoSecrets } from './demo-secrets.ts';
import { type RandomSource, randomSource } from './random-source.ts';

/**
 * Makes up a value that fits a JSON schema, as far as a caller's schema can be fitted by one look: hostile schemas get a
 * bounded answer, and patterns are not run. The same seed gives the same value.
 *
 * @param words of the caller, from which texts are taken where they may be
 */
export function demoValue(schema: unknown, seed: string, words: readonly string[]): unknown {
  const maker = new ValueMaker(schema, seed, words);
  return maker.make(schema, '', 0);
}

const MOST_DEPTH = 8;
/** Values within one answer; and looks at schemas, of which references and alternatives take several for one value. */
const MOST_VALUES = 500;
const MOST_LOOKS = 5_000;
const MOST_ITEMS = 20;
const MOST_PROPERTIES = 100;
const MOST_TEXT = 400;

type Schema = Readonly<Record<string, unknown>>;

class ValueMaker {
  readonly #root: unknown;
  readonly #random: RandomSource;
  readonly #words: readonly string[];
  readonly #seed: string;
  #values = 0;
  #looks = 0;

  constructor(root: unknown, seed: string, words: readonly string[]) {
    this.#root = root;
    this.#seed = seed;
    this.#words = words;
    this.#random = randomSource(`value:${seed}`);
  }

  make(given: unknown, name: string, depth: number): unknown {
    const schema = this.#resolve(given, 0);
    this.#values += 1;
    if (schema === undefined || this.#values > MOST_VALUES || depth > MOST_DEPTH) return null;
    if ('const' in schema) return schema['const'];
    const choices = schema['enum'];
    if (Array.isArray(choices) && choices.length > 0) return choices[this.#random(choices.length)];
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, name, depth);
      case 'integer':
      case 'number':
        return this.#number(schema);
      case 'boolean':
        return this.#random(2) === 1;
      case 'null':
        return null;
      default:
        return this.#text(schema, name);
    }
  }

  /** Follows references into the schema itself, takes the first alternative, and joins what must hold together. */
  #resolve(given: unknown, steps: number): Schema | undefined {
    this.#looks += 1;
    if (given === true) return {};
    const schema = asObject(given);
    if (schema === undefined || steps > MOST_DEPTH || this.#looks > MOST_LOOKS) return undefined;
    if (typeof schema['$ref'] === 'string') return this.#resolve(this.#refer(schema['$ref']), steps + 1);
    const alternatives = schema['anyOf'] ?? schema['oneOf'];
    if (Array.isArray(alternatives)) return this.#firstOf(alternatives, steps);
    if (Array.isArray(schema['allOf'])) return this.#joined(schema, schema['allOf'], steps);
    return schema;
  }

  #firstOf(alternatives: readonly unknown[], steps: number): Schema | undefined {
    const possible = alternatives.slice(0, MOST_ITEMS).map((each) => this.#resolve(each, steps + 1));
    return possible.find((each) => each !== undefined && each['type'] !== 'null') ?? possible[0];
  }

  #joined(schema: Schema, parts: readonly unknown[], steps: number): Schema {
    const all = [schema, ...parts.slice(0, MOST_ITEMS).map((part) => this.#resolve(part, steps + 1) ?? {})];
    const properties = Object.assign({}, ...all.map((part) => asObject(part['properties']) ?? {})) as Schema;
    return { ...(Object.assign({}, ...all) as Schema), properties };
  }

  #refer(reference: string): unknown {
    if (!reference.startsWith('#')) return undefined;
    let place: unknown = this.#root;
    for (const step of reference.split('/').slice(1, MOST_DEPTH)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      const object = asObject(place);
      place = object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
    }
    return place;
  }

  #object(schema: Schema, depth: number): object {
    const properties = Object.entries(asObject(schema['properties']) ?? {}).slice(0, MOST_PROPERTIES);
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
    const made = new Map<string, unknown>();
    for (const [name, value] of properties) {
      // A schema that holds itself comes to an end where it may.
      if (depth >= MOST_DEPTH - 2 && !required.has(name)) continue;
      made.set(name, this.make(value, name, depth + 1));
    }
    return Object.fromEntries(made);
  }

  #array(schema: Schema, name: string, depth: number): unknown[] {
    const least = countOf(schema['minItems'], 0);
    const most = Math.min(countOf(schema['maxItems'], MOST_ITEMS), MOST_ITEMS);
    const wanted = Math.min(Math.max(least, depth >= MOST_DEPTH - 2 ? 0 : 2), most);
    const places = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
    const length = Math.min(Math.max(wanted, places.length), most);
    return Array.from({ length }, (_, at) => this.make(places[at] ?? schema['items'] ?? true, name, depth + 1));
  }

  #number(schema: Schema): number {
    const step = numberOf(schema['multipleOf']) ?? (typeOf(schema) === 'integer' ? 1 : 0.5);
    const above = numberOf(schema['exclusiveMinimum']);
    const below = numberOf(schema['exclusiveMaximum']);
    const least = numberOf(schema['minimum']) ?? (above === undefined ? undefined : above + step);
    const most = numberOf(schema['maximum']) ?? (below === undefined ? undefined : below - step);
    const from = least ?? Math.min(1, most ?? 1);
    const first = Math.ceil(from / step);
    const last = Math.floor((most ?? from + 99 * step) / step);
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || last < first) return least ?? most ?? 0;
    return (first + this.#random(Math.min(last - first + 1, 100))) * step;
  }

  #text(schema: Schema, name: string): string {
    const made = this.#byFormat(schema['format']) ?? this.#byName(name) ?? this.#fromWords(name);
    const most = countOf(schema['maxLength'], MOST_TEXT);
    const least = Math.min(countOf(schema['minLength'], 0), MOST_TEXT);
    return made.padEnd(least, ' demo').slice(0, most);
  }

  #byFormat(format: unknown): string | undefined {
    const day = `2026-0${1 + this.#random(9)}-1${this.#random(10)}`;
    switch (format) {
      case 'date':
        return day;
      case 'date-time':
        return `${day}T08:15:30Z`;
      case 'time':
        return '08:15:30Z';
      case 'duration':
        return 'PT15M';
      case 'email':
        return `demo${this.#random(1_000)}@toko-contoh.example`;
      case 'uuid':
        return `00000000-0000-4000-8000-${String(this.#random(1_000_000)).padStart(12, '0')}`;
      case 'uri':
      case 'url':
        return demoSecrets(this.#seed).apiUrl;
      case 'ipv4':
        return demoSecrets(this.#seed).ipv4;
      case 'ipv6':
        return demoSecrets(this.#seed).ipv6;
      case 'hostname':
        return 'toko-contoh.example';
      default:
        return undefined;
    }
  }

  /** Fields that would hold a secret hold a made-up one, so that masking can be seen. */
  #byName(name: string): string | undefined {
    const secrets = demoSecrets(this.#seed);
    if (/(?:^|_)(?:url|endpoint|link)$/i.test(name)) return secrets.apiUrl;
    if (/(?:^|_)ip(?:_address)?$/i.test(name)) return secrets.ipv4;
    if (/(?:api_?key|token|secret)$/i.test(name)) return secrets.apiKey;
    return /(?:connection|database_url|dsn)/i.test(name) ? secrets.connection : undefined;
  }

  #fromWords(name: string): string {
    const capitals = this.#words.filter((word) => /^\p{Lu}\p{Ll}/u.test(word));
    // The first word of a question has a capital, whatever it is.
    const names = capitals.length > 1 && capitals[0] === this.#words[0] ? capitals.slice(1) : capitals;
    if (/city|place|location|name|country|person|title/i.test(name) && names.length > 0) {
      return names[this.#random(names.length)] ?? '';
    }
    const asked = this.#words.slice(0, 8).join(' ');
    return asked === '' ? 'demo' : asked;
  }
}

function typeOf(schema: Schema): unknown {
  const type = schema['type'];
  if (Array.isArray(type)) return type.find((each) => each !== 'null') ?? 'null';
  if (type !== undefined) return type;
  if (asObject(schema['properties']) !== undefined) return 'object';
  if (schema['items'] !== undefined || Array.isArray(schema['prefixItems'])) return 'array';
  return schema['minimum'] !== undefined || schema['maximum'] !== undefined ? 'number' : 'string';
}

function countOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.floor(value) : otherwise;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value !== 0 ? value : value === 0 ? 0 : undefined;
}

function asObject(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined;
}
