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
  /** It is closed by what stands in it alone: not by Escape, nor by a click beside it. */
  readonly isHeld?: boolean;
  readonly children: ComponentChildren;
}) {
  const { isHeld = false } = props;
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
      onClose={isHeld ? undefined : (props.onClose ?? closePanel)}
      onCancel={(event) => isHeld && event.preventDefault()}
      // A browser that is asked for the second time closes it without asking.
      onKeyDown={(event) => isHeld && event.key === 'Escape' && event.preventDefault()}
      onClick={(event) => !isHeld && event.target === dialog.current && dialog.current?.close()}
    >
      <div class="sheet-body">
        <div class="sheet-head">
          <h2 id={title}>{props.title}</h2>
          {!isHeld && (
            <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
              {shell().close}
            </button>
          )}
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
