import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { copyText } from '../clipboard/copy.ts';
import { Sheet } from '../page/sheet.tsx';
import { keys } from '../words/keys.ts';

/** A secret that was just made, until the operator says that it is stored: in memory alone, wherever the page goes. */
export const issued = signal<
  { readonly key: string; readonly name: string; readonly how: 'created' | 'rotated' } | undefined
>(undefined);

/** Shows a secret once. It stays until the operator has stored it: neither Escape nor a click beside it ends it. */
export function IssuedKey() {
  const shown = issued.value;
  useEffect(() => {
    const warn = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  if (shown === undefined) return null;
  const words = keys();
  return (
    <Sheet title={words[shown.how]} small isHeld>
      <p>
        <strong>
          <bdi>{shown.name}</bdi>
        </strong>
      </p>
      <pre class="issued" tabindex={0} aria-label={words.theKey}>
        {shown.key}
      </pre>
      <p>{words.once}</p>
      <p class="actions">
        <button type="button" class="primary" onClick={() => void copyText(shown.key)}>
          {words.copyKey}
        </button>
        <button
          type="button"
          onClick={() => {
            issued.value = undefined;
          }}
        >
          {words.stored}
        </button>
      </p>
    </Sheet>
  );
}
