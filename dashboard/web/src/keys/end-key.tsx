import type { UsedKey } from '@lontar/shared/admin/admin-schemas.ts';
import { batch, useSignal } from '@preact/signals';
import type { Refused } from '../admin-api/answer.ts';
import { ask } from '../admin-api/ask.ts';
import { showNotice } from '../clipboard/copy.ts';
import { keyForm } from '../words/key-form.ts';
import { issued } from './issued-key.tsx';
import { RefusalLine } from './refusal-line.tsx';

const OVERLAPS = { day: 86_400, week: 604_800, none: 0 } as const;
type Overlap = keyof typeof OVERLAPS;
type Deed = 'rotate' | 'revoke' | 'remove';

interface EndKeyProps {
  readonly shown: UsedKey;
  readonly etag: string;
  readonly onDone: (isGone: boolean) => void;
}

/** What ends a key or its secret: each is chosen, then confirmed by typing the key's name. */
export function EndKey(props: EndKeyProps) {
  const words = keyForm();
  const chosen = useSignal<Deed | undefined>(undefined);
  const deeds: readonly Deed[] = props.shown.state === 'revoked' ? ['remove'] : ['rotate', 'revoke', 'remove'];
  return (
    <section class="part end">
      <h3>{words.end}</h3>
      <p class="actions">
        {deeds.map((deed) => (
          <button
            key={deed}
            type="button"
            aria-expanded={chosen.value === deed}
            class={deed === 'rotate' ? '' : 'danger'}
            onClick={() => {
              chosen.value = chosen.value === deed ? undefined : deed;
            }}
          >
            {words[deed]}
          </button>
        ))}
      </p>
      {chosen.value !== undefined && (
        <Confirm
          key={chosen.value}
          {...props}
          deed={chosen.value}
          onCancel={() => {
            chosen.value = undefined;
          }}
        />
      )}
    </section>
  );
}

function Confirm(props: EndKeyProps & { readonly deed: Deed; readonly onCancel: () => void }) {
  const { shown, etag, deed, onCancel, onDone } = props;
  const words = keyForm();
  const typed = useSignal('');
  const refused = useSignal<Refused | undefined>(undefined);
  const busy = useSignal(false);
  const overlap = useSignal<Overlap>('day');
  const endOverlap = useSignal(false);
  const isConfirmed = typed.value.trim() === shown.name.trim();
  const act = async () => {
    if (busy.value || !isConfirmed) return;
    busy.value = true;
    const rotation = { overlapSeconds: OVERLAPS[overlap.value], endOverlap: endOverlap.value };
    const answer = await carryOut(deed, shown.id, etag, rotation);
    batch(() => {
      busy.value = false;
      refused.value = answer.ok ? undefined : answer;
      if (!answer.ok) return;
      const { key } = answer.body;
      if (key !== undefined) issued.value = { key, name: shown.name, how: 'rotated' };
      else showNotice(deed === 'revoke' ? words.revokedDone : words.removedDone);
      onCancel();
    });
    if (answer.ok) onDone(deed === 'remove');
  };
  return (
    <form
      class="confirm"
      onSubmit={(event) => {
        event.preventDefault();
        void act();
      }}
    >
      <p>{deed === 'rotate' ? words.rotateWhy : deed === 'revoke' ? words.revokeWhy : words.removeWhy}</p>
      {deed === 'rotate' && <RotationChoices overlap={overlap} endOverlap={endOverlap} shown={shown} />}
      <label>
        <bdi>{words.typeName(shown.name)}</bdi>
        <input
          type="text"
          name="confirm-name"
          autocomplete="off"
          value={typed.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
          }}
        />
      </label>
      <RefusalLine refused={refused.value} />
      <p class="actions">
        <button type="submit" class={deed === 'rotate' ? 'primary' : 'danger'} disabled={!isConfirmed || busy.value}>
          {words[deed]}
        </button>
        <button type="button" class="quiet" onClick={onCancel}>
          {words.cancel}
        </button>
      </p>
    </form>
  );
}

function RotationChoices(props: {
  readonly overlap: { value: Overlap };
  readonly endOverlap: { value: boolean };
  readonly shown: UsedKey;
}) {
  const words = keyForm();
  return (
    <>
      <label>
        {words.overlap}
        <select
          value={props.overlap.value}
          onChange={({ currentTarget }) => {
            props.overlap.value = currentTarget.value as Overlap;
          }}
        >
          {(Object.keys(OVERLAPS) as Overlap[]).map((name) => (
            <option key={name} value={name}>
              {words.overlaps[name]}
            </option>
          ))}
        </select>
      </label>
      {props.shown.oldKeyUntil !== null && (
        <label class="check">
          <input
            type="checkbox"
            checked={props.endOverlap.value}
            onChange={({ currentTarget }) => {
              props.endOverlap.value = currentTarget.checked;
            }}
          />
          {words.endOverlap}
        </label>
      )}
    </>
  );
}

function carryOut(deed: Deed, id: string, ifMatch: string, rotation: object) {
  if (deed === 'remove') return ask<{ key?: string }>('DELETE', `/keys/${id}`, { ifMatch });
  const body = deed === 'rotate' ? { body: rotation } : {};
  return ask<{ key?: string }>('POST', `/keys/${id}/${deed}`, { ifMatch, ...body });
}
