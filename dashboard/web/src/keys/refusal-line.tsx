import { useEffect, useRef } from 'preact/hooks';
import type { Refused } from '../admin-api/answer.ts';
import { keyForm } from '../words/key-form.ts';
import { sayRefusal, titleOf } from '../words/refusals.ts';
import { sayRule } from '../words/rules.ts';
import { shell } from '../words/shell.ts';

/** Why nothing was done. What belongs to a field stands beside the field, and the first of them gets the focus. */
export function RefusalLine({ refused }: { readonly refused: Refused | undefined }) {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    line.current?.closest('form')?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refused]);
  if (refused === undefined) return null;
  const { fields, check } = keyForm();
  const { problems } = refused;
  const elsewhere = problems?.filter(({ field }) => !(field in fields)) ?? [];
  const text =
    problems === undefined
      ? sayRefusal(refused)
      : elsewhere.map(({ field, rule }) => `${field} ${sayRule(rule)}`).join('; ');
  const rules = problemsOf(refused);
  const wrong = Object.entries(fields).flatMap(([field, word]) => (rules.has(field) ? [word] : []));
  const isSilent = problems !== undefined && text === '';
  const title = titleOf(refused);
  return (
    <p class="fault" role="alert" ref={line}>
      ▲ {title}
      {isSilent ? '.' : `: ${text === '' ? (navigator.onLine ? title : shell().offline) : text}`}
      {wrong.length > 0 && ` ${check(wrong.join(', '))}`}
    </p>
  );
}

/** The rules that fields break, by field. */
export function problemsOf(refused: Refused | undefined): ReadonlyMap<string, string> {
  return new Map(refused?.problems?.map(({ field, rule }) => [field, rule]));
}
