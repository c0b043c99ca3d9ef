import type { Refused } from '../admin-api/answer.ts';
import { keyForm } from '../words/key-form.ts';
import { sayRefusal, titleOf } from '../words/refusals.ts';
import { sayRule } from '../words/rules.ts';
import { shell } from '../words/shell.ts';

/** Why nothing was done. What belongs to a field stands beside the field. */
export function RefusalLine({ refused }: { readonly refused: Refused | undefined }) {
  if (refused === undefined) return null;
  const { fields } = keyForm();
  const { problems } = refused;
  const elsewhere = problems?.filter(({ field }) => !(field in fields)) ?? [];
  const text =
    problems === undefined
      ? sayRefusal(refused)
      : elsewhere.map(({ field, rule }) => `${field} ${sayRule(rule)}`).join('; ');
  const isSilent = problems !== undefined && text === '';
  const title = titleOf(refused);
  return (
    <p class="fault" role="alert">
      ▲ {title}
      {isSilent ? '.' : `: ${text === '' ? (navigator.onLine ? title : shell().offline) : text}`}
    </p>
  );
}

/** The rules that fields break, by field. */
export function problemsOf(refused: Refused | undefined): ReadonlyMap<string, string> {
  return new Map(refused?.problems?.map(({ field, rule }) => [field, rule]));
}
