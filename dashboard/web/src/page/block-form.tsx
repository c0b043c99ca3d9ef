import { useSignal } from '@preact/signals';
import type { Refused } from '../admin-api/answer.ts';
import { ask } from '../admin-api/ask.ts';
import { showNotice } from '../clipboard/copy.ts';
import { panels } from '../words/panels.ts';
import { sayRefusal, titleOf } from '../words/refusals.ts';

/** Blocks an address; which one may be given. */
export function BlockForm({
  wanted = '',
  onBlocked,
}: {
  readonly wanted?: string | undefined;
  readonly onBlocked: () => void;
}) {
  const words = panels();
  const address = useSignal(wanted);
  const seconds = useSignal('3600');
  const refused = useSignal<Refused | undefined>(undefined);
  const block = async () => {
    const body = { address: address.value.trim(), seconds: seconds.value === '' ? null : Number(seconds.value) };
    const answer = await ask<{ readonly address: string }>('POST', '/bans', { body });
    refused.value = answer.ok ? undefined : answer;
    if (!answer.ok) return;
    showNotice(words.isBlocked(answer.body.address));
    address.value = '';
    onBlocked();
  };
  return (
    <>
      <h3>{words.blockOne}</h3>
      <form
        class="block-form"
        onSubmit={(event) => {
          event.preventDefault();
          void block();
        }}
      >
        <label>
          {words.address}
          <input
            name="address"
            maxLength={60}
            autocomplete="off"
            placeholder={words.addressHint}
            value={address.value}
            onInput={({ currentTarget }) => {
              address.value = currentTarget.value;
            }}
          />
        </label>
        <label>
          {words.howLong}
          <select
            value={seconds.value}
            onChange={({ currentTarget }) => {
              seconds.value = currentTarget.value;
            }}
          >
            {Object.entries(words.spans).map(([span, name]) => (
              <option key={span} value={span}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="primary" autofocus={wanted !== ''} disabled={address.value.trim() === ''}>
          {words.block}
        </button>
      </form>
      {refused.value && (
        <p class="fault" role="alert">
          ▲ {sayRefusal(refused.value) || titleOf(refused.value)}
        </p>
      )}
    </>
  );
}
