/**
 * How a command takes a secret: `-p value` or `-p=value`, `-pvalue`, or the part of a login after a mark: `-u user:value`,
 * `-U user%value`, `-u user,value`. `host` is an option that takes the name of a server.
 */
export type OptionStyle = 'separate' | 'attached' | 'host' | ':' | '%' | ',' | '/';

export interface CommandOption {
  readonly option: string;
  readonly style: OptionStyle;
}

export interface Command {
  readonly options: readonly CommandOption[];
  /** Which argument that is no option holds the secret, counted from 1 behind what wakes the rule, and how. */
  readonly argument?: { readonly place: number; readonly style: OptionStyle };
  readonly source: string;
}

const MARKS: ReadonlySet<string> = new Set([':', '%', ',', '/']);

/** `-p` takes a value of its own, `-p*` has it attached, `-u:` takes a login with this mark, `-h!` a host; `2` is an argument's place. */
export function commands(source: string, names: string, takes: string): readonly (readonly [string, Command])[] {
  const options: CommandOption[] = [];
  let argument: Command['argument'];
  for (const word of takes.split(' ')) {
    const last = word.slice(-1);
    const style =
      last === '*' ? 'attached' : last === '!' ? 'host' : MARKS.has(last) ? (last as OptionStyle) : 'separate';
    const option = style === 'separate' ? word : word.slice(0, -1);
    if (/^\d$/.test(option)) argument = { place: Number(option), style };
    else options.push({ option, style });
  }
  const command = argument === undefined ? { options, source } : { options, argument, source };
  return names.split('|').map((name) => [`${name} `, command]);
}
