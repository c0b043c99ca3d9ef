import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { notice } from '../clipboard/copy.ts';
import { closePanel } from './panels.ts';

/** A panel over the page. The browser's own dialog keeps the keyboard inside, closes on Escape and gives focus back. */
export function Sheet(props: {
  readonly title: string;
  readonly small?: boolean;
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
      onClose={closePanel}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="sheet-body">
        <div class="sheet-head">
          <h2 id={title}>{props.title}</h2>
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            Close
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
