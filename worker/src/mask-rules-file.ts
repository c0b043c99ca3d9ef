import { readFileSync, statSync } from 'node:fs';
import { ConfigError } from '@lontar/shared/config/read-config.ts';
import { z } from 'zod';
import { ALL_RULES } from './masking/rules/all-rules.ts';
import { SHAPE_CHARACTERS } from './masking/rules/own-shapes.ts';

/** Bytes of the file, entries of each list and characters of an entry: what is compiled and looked up for each answer is bounded. */
const LARGEST_FILE = 262_144;
const MOST_SHAPES = 200;
const MOST_ENTRIES = 1_000;
const MOST_PARTS = 9;
const LONGEST_PART = 512;
/** A longer value is masked whatever the file says (`LONGEST_VALUE` of masking). */
const LONGEST_KEPT = 4_096;
const SHORTEST_KEPT = 4;

const part = z.union(
  [
    z.strictObject({ characters: z.enum(SHAPE_CHARACTERS), length: z.int().min(1).max(LONGEST_PART) }),
    z.strictObject({ text: z.string().regex(/^[-_.:~=+/]{1,4}$/) }),
  ],
  `must be {"characters": …, "length": …} with ${SHAPE_CHARACTERS.join(', ')} and 1 to ${LONGEST_PART}, or {"text": …} with one to four of - _ . : ~ = + /`,
);

const shape = z.strictObject({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/, 'must be lower-case words joined by hyphens')
    .refine((name) => !BUILT_IN.has(name), 'is the name of a rule that is built in'),
  prefix: z.string().regex(/^[A-Za-z0-9][\w.:~=+/-]{1,31}$/, 'must be 2 to 32 letters, digits and marks'),
  parts: z
    .array(part)
    .min(1)
    .max(MOST_PARTS)
    .refine((parts) => parts[0] !== undefined && 'characters' in parts[0], 'must begin with drawn characters'),
  source: z.string().max(300).optional(),
});

const host = z
  .string()
  .max(255)
  .regex(/^(?:\*?\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i, 'must be a host');

const maskRules = z.strictObject({
  shapes: z
    .array(shape)
    .max(MOST_SHAPES)
    .refine((shapes) => new Set(shapes.map(({ name }) => name)).size === shapes.length, 'must have names of their own')
    .default([]),
  maskHosts: z.array(host).max(MOST_ENTRIES).default([]),
  allowHosts: z.array(host).max(MOST_ENTRIES).default([]),
  keep: z.array(z.string().min(SHORTEST_KEPT).max(LONGEST_KEPT)).max(MOST_ENTRIES).default([]),
});

/** An operator's own shapes, hosts and exemptions. */
export type MaskRules = z.infer<typeof maskRules>;

const BUILT_IN: ReadonlySet<string> = new Set(ALL_RULES.map(({ name }) => name));

/**
 * Reads what MASK_RULES_FILE names; nothing where it is not set.
 *
 * @throws ConfigError with each problem and its place when the file cannot be read, is too large or breaks a rule
 */
export function readMaskRules(path: string | undefined): MaskRules {
  return path === undefined ? maskRules.parse({}) : parseMaskRules(textOf(path));
}

/** @throws ConfigError as readMaskRules */
export function parseMaskRules(text: string): MaskRules {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new ConfigError(['MASK_RULES_FILE names a file that is not valid JSON']);
  }
  const parsed = maskRules.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map(({ path, message }) => `MASK_RULES_FILE: ${path.join('.') || 'the file'}: ${message}`),
  );
}

function textOf(path: string): string {
  try {
    if (statSync(path).size > LARGEST_FILE)
      throw new ConfigError([`MASK_RULES_FILE names a file of more than ${LARGEST_FILE} bytes: ${path}`]);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError([`MASK_RULES_FILE names a file that cannot be read: ${path}`]);
  }
}
