/**
 * How a command takes a secret: `-p value` or `-p=value`, `-pvalue`, or the part of a login after a mark: `-u user:value`,
 * `-U user%value`, `-u user,value`; with `@` what stands between the colon and the host, `user:value@host`. `host` is an
 * option that takes the name of a server.
 */
export type OptionStyle = 'separate' | 'attached' | 'host' | ':' | '%' | ',' | '/' | '@';

export interface CommandOption {
  readonly option: string;
  readonly style: OptionStyle;
}

export interface Command {
  readonly options: readonly CommandOption[];
  /** Which arguments that are no options hold secrets, counted from 1 behind what wakes the rule, and how. */
  readonly places?: readonly { readonly place: number; readonly style: OptionStyle }[];
  readonly source: string;
}

const MARKS: ReadonlySet<string> = new Set([':', '%', ',', '/', '@']);

/** `-p` takes a value of its own, `-p*` has it attached, `-u:` takes a login with this mark, `-h!` a host; `2` is an argument's place. */
export function commands(source: string, names: string, takes: string): readonly (readonly [string, Command])[] {
  const options: CommandOption[] = [];
  const places: { place: number; style: OptionStyle }[] = [];
  for (const word of takes.split(' ')) {
    const last = word.slice(-1);
    const style =
      last === '*' ? 'attached' : last === '!' ? 'host' : MARKS.has(last) ? (last as OptionStyle) : 'separate';
    const option = style === 'separate' ? word : word.slice(0, -1);
    if (/^\d$/.test(option)) places.push({ place: Number(option), style });
    else options.push({ option, style });
  }
  const command = places.length === 0 ? { options, source } : { options, places, source };
  return names.split('|').map((name) => [`${name} `, command]);
}
