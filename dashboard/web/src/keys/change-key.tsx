import type { UsedKey } from '@lontar/shared/admin/admin-schemas.ts';
import { batch, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Refused } from '../admin-api/answer.ts';
import { ask } from '../admin-api/ask.ts';
import { showNotice } from '../clipboard/copy.ts';
import { keyForm } from '../words/key-form.ts';
import { changedFields, draftOf, type KeyDraft, rebaseDraft, termsOf } from './key-draft.ts';
import { KeyFields } from './key-form.tsx';
import { problemsOf, RefusalLine } from './refusal-line.tsx';

interface ChangeKeyProps {
  readonly shown: UsedKey;
  readonly etag: string;
  readonly onSaved: () => void;
}

/** What the reader began with, and by which version. */
interface Base {
  readonly draft: KeyDraft;
  readonly etag: string;
}

/** A change of others that was met: which fields, and what they are now. */
interface Met {
  readonly fields: readonly string[] | undefined;
  readonly values: ReadonlyMap<string, string>;
}

/** Changes a key. Where another operator was faster, it says what is new, and keeps what was typed. */
export function ChangeKey({ shown, etag, onSaved }: ChangeKeyProps) {
  const words = keyForm();
  const base = useSignal<Base>({ draft: draftOf(shown), etag });
  const draft = useSignal(base.value.draft);
  const refused = useSignal<Refused | undefined>(undefined);
  const met = useSignal<Met | undefined>(undefined);
  const busy = useSignal(false);
  // What the reader has not touched follows the key.
  useEffect(() => {
    if (changedFields(draft.value, base.value.draft).length > 0) return;
    base.value = { draft: draftOf(shown), etag };
    draft.value = base.value.draft;
  }, [etag]);
  const save = async () => {
    const body = termsOf(draft.value, base.value.draft);
    if (busy.value || Object.keys(body).length === 0) return;
    busy.value = true;
    const answer = await ask<UsedKey>('PATCH', `/keys/${shown.id}`, { body, ifMatch: base.value.etag });
    const newer = !answer.ok && answer.kind === 'changed' ? await ask<UsedKey>('GET', `/keys/${shown.id}`) : undefined;
    batch(() => {
      busy.value = false;
      refused.value = answer.ok || newer?.ok ? undefined : answer;
      met.value = undefined;
      if (answer.ok) {
        base.value = { draft: draftOf(answer.body), etag: answer.etag ?? '*' };
        draft.value = base.value.draft;
        showNotice(words.saved);
      } else if (newer?.ok) {
        const fresh = draftOf(newer.body);
        met.value = { fields: answer.changed ?? undefined, values: valuesOf(fresh, draft.value, base.value.draft) };
        draft.value = rebaseDraft(draft.value, base.value.draft, fresh);
        base.value = { draft: fresh, etag: newer.etag ?? `"${newer.body.version}"` };
      }
    });
    if (answer.ok) onSaved();
  };
  const isChanged = changedFields(draft.value, base.value.draft).length > 0;
  return (
    <details class="part" open={isChanged || undefined}>
      <summary>{words.change}</summary>
      <form
        class="key-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <KeyFields
          draft={draft.value}
          base={base.value.draft}
          problems={problemsOf(refused.value)}
          {...(met.value === undefined ? {} : { theirs: met.value.values })}
          change={(part) => {
            draft.value = { ...draft.value, ...part };
          }}
        />
        {met.value !== undefined && <MetChange met={met.value} />}
        <RefusalLine refused={refused.value} />
        <p class="actions foot">
          <button type="submit" class="primary" disabled={busy.value || !isChanged}>
            {busy.value ? words.saving : met.value === undefined ? words.save : words.saveOver}
          </button>
          {!isChanged && <span class="hint">{words.nothingChanged}</span>}
        </p>
      </form>
    </details>
  );
}

function MetChange({ met: { fields } }: { readonly met: Met }) {
  const words = keyForm();
  const names: Readonly<Record<string, string>> = { ...words.fields, ...words.other };
  const what = fields?.map((field) => names[field] ?? field).join(', ');
  return (
    <div class="trouble" role="alert">
      <p>
        <strong>{words.changedTitle}.</strong> {what === undefined ? words.changedUnknown : words.changedWhat(what)}
      </p>
    </div>
  );
}

/** What the fields are now that the reader changed and others did, too. */
function valuesOf(fresh: KeyDraft, draft: KeyDraft, base: KeyDraft): ReadonlyMap<string, string> {
  const theirs = new Set(changedFields(fresh, base));
  const both = changedFields(draft, base).filter((field) => theirs.has(field));
  return new Map(both.map((field) => [field, String(fresh[field])]));
}
