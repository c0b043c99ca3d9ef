import type { Operator } from './given-value.ts';
import type { SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';

/**
 * What programs say when they have made a secret: `A temporary password is generated for root@localhost: …`, `Password for
 * the [elastic] user successfully reset.` and `New value: …` below it, `use the following password to proceed:` and a line of
 * its own. The label names the secret, a verb says what became of it, a colon ends it.
 */
const LONGEST_STATEMENT = 112;
const GENERATED =
  /^ (?:(?:is|was|has been|have been|adalah|telah) )?(?:successfully |now |auto-?)?(?:generated|created|set|reset|changed|assigned|issued|updated|rotated|dibuat|diatur ulang)(?: (?:for|to|as|of|on|untuk) [^\s:]{1,40}(?: [^\s:]{1,24}){0,3})?(?: \([^()\n]{1,40}\))?:(?:\s{1,12})(?=\S)/i;
/** `Password for user elastic: …`, `password (shown only once): …`, `password to proceed to installation:` */
const ASKED_WITH =
  /^ (?:to (?:proceed|continue|log ?in|sign in|unlock|access|connect|finish|start|open)[^\n:]{0,48}|\((?:shown|displayed|only|save|keep|copy|store|write|won't|will not|auto)[^()\n]{1,56}\)):(?:\s{1,12})(?=\S)/i;
/** `password for user rina successfully reset.` and the line below. */
const VALUE_BELOW =
  /^ for (?:the )?[^\n]{1,40} (?:successfully )?(?:reset|changed|generated|created)\.?\s{1,6}new value: (?=\S)/i;

/** The colon behind a statement that says that the secret was made, which is the operator. */
export function generatedOperator(window: TextWindow, name: SecretName): Operator | undefined {
  if (name.kind !== 'password' && name.kind !== 'secret') return undefined;
  const next = FIRST_LETTERS[window.at(name.end + 1)];
  if (next === undefined) return undefined;
  const said = window.peek(name.end, LONGEST_STATEMENT);
  const sign = GENERATED.exec(said) ?? ASKED_WITH.exec(said) ?? VALUE_BELOW.exec(said);
  return sign === null ? undefined : { end: name.end + sign[0].length, kind: 'assign', tight: false, printed: true };
}

/** What those statements begin with, behind the blank: most sentences go on otherwise. */
const FIRST_LETTERS: Readonly<Record<number, true>> = Object.fromEntries(
  Array.from('(acdfghiorstuwnACDFGHIORSTUWN', (letter) => [letter.charCodeAt(0), true as const]),
);
