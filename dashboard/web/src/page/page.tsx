import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { SignInView } from '../access/sign-in-view.tsx';
import { notice } from '../clipboard/copy.ts';
import { signedIn, signedOut, version } from '../live/live-state.ts';
import { shell } from '../words/shell.ts';
import { Header } from './header.tsx';
import { Navigation } from './navigation.tsx';
import { panel } from './panels.ts';
import { Sheet } from './sheet.tsx';
import { ShownPage } from './shown-page.tsx';
import { Unloaded } from './states.tsx';

/** The dashboard: what all pages have, and the one that is open. */
export function Page() {
  if (signedOut.value) {
    return (
      <>
        <Header />
        <SignInView />
      </>
    );
  }
  return (
    <>
      <a class="skip" href="#content" onClick={skip}>
        {shell().skip}
      </a>
      <Header />
      <Navigation />
      <ShownPage />
      <footer>
        <span>Lontar {version.value}</span> <a href="/docs">{shell().apiReference}</a>{' '}
        <a href="/openapi.json">OpenAPI</a>
      </footer>
      <OpenPanel />
      <p class="notice" role="log" aria-label={shell().notices}>
        {panel.value === undefined ? notice.value : ''}
      </p>
    </>
  );
}

/** Panels are loaded when they are first opened. */
const PANELS = {
  row: () => import('../log/detail-sheet.tsx').then(({ DetailSheet }) => DetailSheet as ComponentType<object>),
  blocked: () => import('./small-panels.tsx').then(({ BlockedSheet }) => BlockedSheet as ComponentType<object>),
  reset: () => import('./small-panels.tsx').then(({ ResetQuestion }) => ResetQuestion as ComponentType<object>),
} as const;

function OpenPanel() {
  const loaded = useSignal<Partial<Record<keyof typeof PANELS, ComponentType<object>>>>({});
  const failed = useSignal(false);
  const wanted = panel.value;
  if (wanted === undefined || !signedIn.value) return null;
  const Panel = loaded.value[wanted.kind];
  if (Panel === undefined && failed.value) return <UnloadedPanel onClosed={() => (failed.value = false)} />;
  if (Panel === undefined) {
    PANELS[wanted.kind]().then(
      (component) => {
        loaded.value = { ...loaded.value, [wanted.kind]: component };
      },
      () => {
        failed.value = true;
      },
    );
    return null;
  }
  return <Panel key={wanted.kind} {...wanted} />;
}

/** It is tried again when it is opened again. */
function UnloadedPanel({ onClosed }: { readonly onClosed: () => void }) {
  useEffect(() => onClosed, []);
  return (
    <Sheet title={shell().unloaded} small>
      <Unloaded />
    </Sheet>
  );
}

/** A link to a place in the page would be read as the address of another page. */
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#content')?.focus();
}
