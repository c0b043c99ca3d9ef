import type { z } from 'zod';

/**
 * Reads values by a schema as zod does, at a fraction of the cost where a value is as it should be: checks that are put
 * together once from the schema say so without making anything. Only where they do not, or the schema asks for what they
 * do not know, zod has the last word. For what this service wrote itself, and reads a thousand times a second.
 *
 * @returns what reads: the value, without fields that the schema does not know; `undefined` where it does not fit. A value
 *   that is as it should be is given back itself, not a copy
 */
export function readerOf<Schema extends z.ZodType>(schema: Schema): (value: unknown) => z.output<Schema> | undefined {
  const isExact = shapeCheck(schema);
  return (value) => (isExact(value) ? (value as z.output<Schema>) : schema.safeParse(value).data);
}

export type ShapeCheck = (value: unknown) => boolean;

/**
 * A check that is put together from a schema. Where it says yes, zod takes the value and gives the same; where it says no,
 * nothing is known.
 */
export function shapeCheck(schema: z.ZodType): ShapeCheck {
  const def = (schema as unknown as AnySchema)._zod.def;
  const make = MAKERS[def.type];
  const is = make === undefined ? never : make(def);
  const checks = (def.checks ?? []).map(({ _zod }) => checkOf(_zod.def));
  if (checks.length === 0) return is;
  return (value) => is(value) && checks.every((check) => check(value));
}

/** What of zod's schemas is read: checked with zod 4.6. shape-check.test.ts fails where the checks no longer know them. */
interface AnySchema {
  readonly _zod: { readonly def: Definition };
}
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly catchall?: unknown;
  readonly format?: string;
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly discriminator?: string;
  readonly checks?: readonly { readonly _zod: { readonly def: CheckDefinition } }[];
}
interface CheckDefinition {
  readonly check: string;
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly value?: number;
  readonly inclusive?: boolean;
}

const never: ShapeCheck = () => false;

const MAKERS: Readonly<Record<string, (def: Definition) => ShapeCheck>> = {
  // `z.email()` and the like are checks of their own.
  string: ({ format }) => (format === undefined ? (value) => typeof value === 'string' : never),
  number: ({ format }) => (format === undefined ? Number.isFinite : never),
  boolean: () => (value) => typeof value === 'boolean',
  literal: ({ values = [] }) => isOneOf(values),
  enum: ({ entries = {} }) => isOneOf(Object.values(entries)),
  optional: ({ innerType }) => {
    const is = innerOf(innerType);
    return (value) => value === undefined || is(value);
  },
  // What it would catch is for zod to say.
  catch: ({ innerType }) => innerOf(innerType),
  array: ({ element }) => {
    const is = innerOf(element);
    return (value) => {
      if (!Array.isArray(value)) return false;
      // Not `every`, which passes over holes.
      for (const one of value as unknown[]) if (!is(one)) return false;
      return true;
    };
  },
  union: ({ options = [], discriminator }) => {
    // The first that fits is taken, and another object may fit before it with fewer fields.
    if (discriminator === undefined && options.filter(isObjectSchema).length > 1) return never;
    const checks = options.map(shapeCheck);
    return (value) => checks.some((is) => is(value));
  },
  object: (def) => (def.catchall === undefined ? objectCheck(def.shape ?? {}) : never),
};

function innerOf(schema: z.ZodType | undefined): ShapeCheck {
  return schema === undefined ? never : shapeCheck(schema);
}

function isObjectSchema(schema: z.ZodType): boolean {
  return (schema as unknown as AnySchema)._zod.def.type === 'object';
}

function isOneOf(values: readonly unknown[]): ShapeCheck {
  const [only] = values;
  if (values.length === 1) return (value) => value === only;
  const all = new Set(values);
  return (value) => all.has(value);
}

/** All fields are known and fit, and none is missing. */
function objectCheck(shape: Readonly<Record<string, z.ZodType>>): ShapeCheck {
  const fields = new Map(Object.entries(shape).map(([name, schema]) => [name, shapeCheck(schema)]));
  const needed = new Set([...fields].flatMap(([name, is]) => (is(undefined) ? [] : [name])));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    let there = 0;
    for (const name in value) {
      const is = fields.get(name);
      if (is === undefined || !is((value as Record<string, unknown>)[name])) return false;
      if (needed.has(name)) there++;
    }
    return there === needed.size;
  };
}

function checkOf({
  check,
  format,
  pattern,
  minimum,
  maximum,
  value: bound = 0,
  inclusive,
}: CheckDefinition): ShapeCheck {
  switch (check) {
    case 'string_format':
      if (format !== 'regex' || pattern === undefined || pattern.global || pattern.sticky) return never;
      return (value) => pattern.test(value as string);
    case 'number_format':
      return format === 'safeint' ? Number.isSafeInteger : never;
    case 'min_length':
      return minimum === undefined ? never : (value) => (value as string).length >= minimum;
    case 'max_length':
      return maximum === undefined ? never : (value) => (value as string).length <= maximum;
    case 'greater_than':
      return (value) => (value as number) > bound || (inclusive === true && value === bound);
    default:
      return never;
  }
}
