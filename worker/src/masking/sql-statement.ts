import { BLANK, CODE } from './characters.ts';
import type { Operator } from './given-value.ts';
import { SQL_ACCOUNT_WORDS } from './lexicon/sentences.ts';
import type { SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';
import { standsBefore } from './words-before.ts';

const PASSWORD = 'password';
/** Of the account in `SET PASSWORD FOR`, and what stands around it: bounds the work. */
const LONGEST_ACCOUNT = 96;
/** How far before the password its statement names an account. */
const REACH = 96;

/** SQL's `PASSWORD '…'` in a statement about an account, and `SET PASSWORD FOR … = '…'`. */
export function statementOperator(window: TextWindow, name: SecretName): Operator | undefined {
  if (name.kind !== 'password' || name.end - name.start !== PASSWORD.length || window.at(name.end) !== CODE.space)
    return undefined;
  let end = name.end + 1;
  if (window.matches(end, 'for ')) {
    const sign = window.peek(end, LONGEST_ACCOUNT).search(/[=;\n]/);
    if (sign < 0 || window.code(end + sign) !== CODE.equals || !/\bset $/i.test(window.left(name.start, 8)))
      return undefined;
    return { end: end + sign + 1, kind: 'statement', tight: false };
  }
  if (window.at(end) === CODE.equals) end = window.run(end + 1, BLANK, 4);
  if (window.matches(end, 'n')) end++;
  if (window.at(end) !== CODE.singleQuote) return undefined;
  const about = standsBefore(window.left(name.start, REACH), SQL_ACCOUNT_WORDS, ';', REACH);
  return about ? { end, kind: 'statement', tight: false } : undefined;
}
