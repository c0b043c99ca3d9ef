import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { notice } from '../clipboard/copy.ts';
import { shell } from '../words/shell.ts';
import { closePanel } from './panels.ts';

/** A panel over the page. The browser's own dialog keeps the keyboard inside, closes on Escape and gives focus back. */
export function Sheet(props: {
  readonly title: string;
  readonly small?: boolean;
  /** What takes it out of the address; panels that stand before the `#` are closed where it is absent. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={props.small ? 'small' : 'sheet'}
      aria-labelledby={title}
      onClose={props.onClose ?? closePanel}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="sheet-body">
        <div class="sheet-head">
          <h2 id={title}>{props.title}</h2>
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            {shell().close}
          </button>
        </div>
        {props.children}
        {/* What a copy did is said inside, because the page behind an open dialog is out of reach. */}
        <p class="notice inside" aria-live="polite">
          {notice.value}
        </p>
      </div>
    </dialog>
  );
}
