import { parseArgs } from 'node:util';

interface Described {
  /** What it is for, as part of a sentence. */
  readonly about: string;
}

/** An option of a developer's command. */
type Option =
  | (Described & { readonly type: 'flag' })
  /** `value` is what the usage calls it. */
  | (Described & { readonly type: 'text'; readonly value: string; readonly default?: string })
  | (Described & { readonly type: 'number'; readonly value: string; readonly default?: number })
  /** Names out of a list, each behind the option again or separated by commas. */
  | (Described & { readonly type: 'names'; readonly choices: readonly string[] });

type Options = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends { type: 'flag' }
  ? boolean
  : O extends { type: 'names' }
    ? readonly string[] | undefined
    : O extends { default: infer Default }
      ? Default extends number
        ? number
        : string
      : (O extends { type: 'number' } ? number : string) | undefined;

/** `rest` is what stands beside the options: nothing, where the command takes nothing. */
type Values<T extends Options> = { readonly [Name in keyof T]: ValueOf<T[Name]> } & {
  readonly rest: readonly string[];
};

export interface DeveloperCommand<T extends Options> {
  /** As it is called, such as `npm run chaos --`. */
  readonly name: string;
  /** What it does, in a sentence. */
  readonly about: string;
  readonly options: T;
  /** What it takes beside them, at least one, such as `FOLDER`. */
  readonly takes?: string;
}

type Read<T extends Options> =
  | { readonly kind: 'values'; readonly values: Values<T> }
  | { readonly kind: 'help' | 'refused'; readonly text: string };

/**
 * Reads the options of a developer's command. After `--help` the usage is printed, and the process ends with 0; after
 * options that it cannot read, one sentence says what is wrong and which there are, and it ends with 2. Never throws.
 */
export function readOptions<const T extends Options>(command: DeveloperCommand<T>): Values<T> {
  const read = parseOptions(command, process.argv.slice(2));
  if (read.kind === 'values') return read.values;
  const output = read.kind === 'help' ? process.stdout : process.stderr;
  output.write(`${read.text}\n`);
  process.exit(read.kind === 'help' ? 0 : 2);
}

/** The same of given arguments, without an effect. Never throws. */
export function parseOptions<const T extends Options>(command: DeveloperCommand<T>, args: readonly string[]): Read<T> {
  const names = Object.keys(command.options);
  const refused = (what: string): Read<T> => ({
    kind: 'refused',
    text: `${what} Known options: ${[...names, 'help'].map((name) => `--${name}`).join(', ')}.`,
  });
  const isFlag = (name: string) => name === 'help' || command.options[name]?.type === 'flag';
  const options = Object.fromEntries(
    [...names, 'help'].map((name) => [name, { type: isFlag(name) ? 'boolean' : 'string', multiple: true } as const]),
  );
  try {
    const allowPositionals = command.takes !== undefined;
    const { values: given, positionals } = parseArgs({ args: [...args], options, allowPositionals });
    if (given['help']) return { kind: 'help', text: usageOf(command) };
    if (allowPositionals && positionals.length === 0) return refused(`A ${command.takes} is needed.`);
    const values: Record<string, unknown> = { rest: positionals };
    for (const [name, option] of Object.entries(command.options)) {
      const texts = (given[name] ?? []).filter((text) => typeof text === 'string');
      const value = option.type === 'flag' ? given[name] !== undefined : valueOf(option, texts);
      if (value instanceof Unreadable) return refused(`--${name} ${value.message}`);
      values[name] = value;
    }
    return { kind: 'values', values: values as Values<T> };
  } catch (error) {
    // Further sentences are about positional arguments, which there are none of.
    return refused(`${(error as Error).message.split(/\.\s|\n/, 1)[0]}.`);
  }
}

class Unreadable {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

function valueOf(option: Exclude<Option, { type: 'flag' }>, texts: readonly string[]): unknown {
  const last = texts.at(-1);
  if (option.type === 'names') {
    const wanted = texts.flatMap((text) => text.split(',')).map((name) => name.trim());
    const unknown = wanted.find((name) => !option.choices.includes(name));
    if (unknown !== undefined) {
      return new Unreadable(`does not know '${unknown}'; it knows ${option.choices.join(', ')}.`);
    }
    return wanted.length === 0 ? undefined : wanted;
  }
  if (last === undefined) return option.default;
  if (option.type === 'text') return last;
  const number = Number(last);
  if (last.trim() === '' || !Number.isFinite(number)) return new Unreadable(`has to be a number, not '${last}'.`);
  return number;
}

function usageOf<T extends Options>({ name, about, options, takes }: DeveloperCommand<T>): string {
  const rows = Object.entries(options).map(([option, described]): readonly [string, string] => {
    const initial = 'default' in described && described.default !== '' ? ` (${described.default} where not given)` : '';
    const names = described.type === 'names' ? `:\n${listOf(described.choices)}` : '';
    return [`--${option}${valueNameOf(described)}`, `${described.about}${initial}${names}`];
  });
  rows.push(['--help', 'shows this']);
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    `Usage: ${name} [options]${takes === undefined ? '' : ` ${takes} …`}`,
    '',
    about,
    '',
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
  ].join('\n');
}

function valueNameOf(option: Option): string {
  if (option.type === 'flag') return '';
  return ` ${option.type === 'names' ? 'NAME' : option.value}`;
}

const listOf = (names: readonly string[]) => [...new Set(names)].map((name) => `      ${name}`).join('\n');
