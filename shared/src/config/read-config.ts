import { readFileSync } from 'node:fs';
import type { z } from 'zod';

/** What every setting says about itself, besides its rule; the docs and `.env.example` are made from it. */
export interface SettingNotes {
  /** One sentence for the operator. */
  readonly about: string;
  /** A value that is valid. Never a real secret. */
  readonly example: string;
  /** Never printed; may also be given as a file, through `<NAME>_FILE`. */
  readonly secret?: boolean;
}

declare module 'zod' {
  interface GlobalMeta {
    about?: string;
    example?: string;
    secret?: boolean;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    super(`The configuration has ${count}:\n${problems.map((p) => `  - ${p}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/**
 * Reads a service's settings out of its environment.
 *
 * An empty value counts as "not set" where the setting has a default or is optional. A setting marked `secret` may be
 * given as a file instead: `KEY_PEPPER_FILE=/run/secrets/key_pepper`.
 *
 * @param schema an object schema whose keys are the names of environment variables
 * @throws ConfigError with every problem at once, each with the name, what is wrong and an example
 */
export function readConfig<Schema extends z.ZodObject>(schema: Schema, environment: Environment): z.infer<Schema> {
  const problems: string[] = [];
  const values: Record<string, string> = {};
  for (const [name, setting] of settingsOf(schema)) {
    const value = readValue(name, setting, environment, problems);
    if (value !== undefined) values[name] = value;
  }
  const parsed = schema.safeParse(values);
  if (parsed.success && problems.length === 0) return parsed.data;
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0]);
    if (!problems.some((problem) => problem.startsWith(`${name} `) || problem.startsWith(`${name}_FILE `))) {
      problems.push(describeProblem(name, schema, issue.message, values[name] ?? environment[name]));
    }
  }
  throw new ConfigError(problems);
}

/** Names and rules of a schema's settings, in its order. */
export function settingsOf(schema: z.ZodObject): [string, z.ZodType][] {
  return Object.entries(schema.shape);
}

/** What a setting says about itself. */
export function settingNotes(setting: z.ZodType): SettingNotes {
  const { about = '', example = '', secret = false } = setting.meta() ?? {};
  return { about, example, secret };
}

function readValue(name: string, setting: z.ZodType, environment: Environment, problems: string[]): string | undefined {
  const value = environment[name] || undefined;
  const file = environment[`${name}_FILE`] || undefined;
  if (!settingNotes(setting).secret || file === undefined) return value;
  if (value !== undefined) {
    problems.push(`${name} and ${name}_FILE are both set: remove one of them`);
    return value;
  }
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    problems.push(`${name}_FILE names a file that cannot be read: ${file}`);
    return undefined;
  }
}

/** @param message what the setting's rule says; it begins with "must" */
function describeProblem(name: string, schema: z.ZodObject, message: string, given: string | undefined): string {
  const setting = settingsOf(schema).find(([key]) => key === name)?.[1];
  const notes = setting ? settingNotes(setting) : undefined;
  const example = notes?.example ? ` Example: ${name}=${notes.example}` : '';
  if (given === undefined) return `${name} is not set. ${notes?.about ?? ''}${example}`;
  if (given === '') return `${name} is empty. ${notes?.about ?? ''}${example}`;
  const shown = notes?.secret ? '' : `${JSON.stringify(given)}, which is `;
  return `${name} is ${shown}not valid: it ${message}.${example}`;
}
