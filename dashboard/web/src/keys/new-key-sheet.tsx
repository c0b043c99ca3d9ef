import type { KeyView } from '@lontar/shared/keys/key-view.ts';
import { batch, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Refused } from '../admin-api/answer.ts';
import { ask } from '../admin-api/ask.ts';
import { Sheet } from '../page/sheet.tsx';
import { keyForm } from '../words/key-form.ts';
import { issued } from './issued-key.tsx';
import { EMPTY_DRAFT, type KeyDraft, termsOf } from './key-draft.ts';
import { KeyFields } from './key-form.tsx';
import { problemsOf, RefusalLine } from './refusal-line.tsx';

interface NewKeyProps {
  readonly onMade: () => void;
  readonly onClose: () => void;
}

/** Makes a key. However often its button is clicked, and whatever becomes of an answer, it makes one. */
export function NewKeySheet({ onMade, onClose }: NewKeyProps) {
  const words = keyForm();
  const draft = useSignal<KeyDraft>(EMPTY_DRAFT);
  const refused = useSignal<Refused | undefined>(undefined);
  const busy = useSignal(false);
  const request = useRef(randomName());
  const make = async () => {
    if (busy.value) return;
    busy.value = true;
    const body = { name: '', ...termsOf(draft.value, EMPTY_DRAFT) };
    const answer = await ask<KeyView & { key: string }>('POST', '/keys', { body, idempotencyKey: request.current });
    busy.value = false;
    if (!answer.ok) {
      // It has made another key before: the next try is for a new one.
      if (answer.kind === 'conflict') request.current = randomName();
      refused.value = answer;
      return;
    }
    batch(() => {
      issued.value = { key: answer.body.key, name: answer.body.name, how: 'created' };
      onClose();
    });
    onMade();
  };
  return (
    <Sheet title={words.newKey} onClose={onClose}>
      <form
        class="key-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <KeyFields
          draft={draft.value}
          base={EMPTY_DRAFT}
          problems={problemsOf(refused.value)}
          change={(part) => {
            draft.value = { ...draft.value, ...part };
          }}
        />
        <RefusalLine refused={refused.value} />
        <p class="actions foot">
          <button type="submit" class="primary" disabled={busy.value}>
            {busy.value ? words.saving : words.create}
          </button>
        </p>
      </form>
    </Sheet>
  );
}

/** `crypto.randomUUID` is there on secure pages alone. */
function randomName(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
