import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { SignInView } from '../access/sign-in-view.tsx';
import { ChartsView } from '../charts/charts-view.tsx';
import { notice } from '../clipboard/copy.ts';
import { FleetView } from '../fleet/fleet-view.tsx';
import { connection, dataAt, signedIn, signedOut, version } from '../live/live-state.ts';
import { LogView } from '../log/log-view.tsx';
import { TilesView } from '../tiles/tiles-view.tsx';
import { Header, Trouble } from './header.tsx';
import { panel } from './panels.ts';
import { Sheet } from './sheet.tsx';
import { Troubles } from './troubles.tsx';

/** The dashboard. */
export function Page() {
  if (signedOut.value) {
    return (
      <>
        <Header />
        <SignInView />
      </>
    );
  }
  const full = signedIn.value || dataAt.value === undefined;
  return (
    <>
      <Header />
      <main class={connection.value}>
        <Troubles />
        <Trouble />
        <TilesView />
        <ChartsView />
        {full ? (
          <div class="columns">
            <LogView />
            <FleetView />
          </div>
        ) : (
          <p class="hint center">The counters are public. Sign in to see the log, the fleet and blocked addresses.</p>
        )}
      </main>
      <footer>
        <span>Lontar {version.value}</span> <a href="/docs">API reference</a> <a href="/openapi.json">OpenAPI</a>
      </footer>
      <OpenPanel />
      <p class="notice" role="log" aria-label="Notices">
        {panel.value === undefined ? notice.value : ''}
      </p>
    </>
  );
}

/** Panels are loaded when they are first opened. */
const PANELS = {
  row: () => import('../log/detail-sheet.tsx').then(({ DetailSheet }) => DetailSheet as ComponentType<object>),
  try: () => import('../try-it/try-it-sheet.tsx').then(({ TryItSheet }) => TryItSheet as ComponentType<object>),
  blocked: () => import('./small-panels.tsx').then(({ BlockedSheet }) => BlockedSheet as ComponentType<object>),
  reset: () => import('./small-panels.tsx').then(({ ResetQuestion }) => ResetQuestion as ComponentType<object>),
} as const;

function OpenPanel() {
  const loaded = useSignal<Partial<Record<keyof typeof PANELS, ComponentType<object>>>>({});
  const failed = useSignal(false);
  const wanted = panel.value;
  if (wanted === undefined) return null;
  if (!signedIn.value && wanted.kind !== 'try') return null;
  const Panel = loaded.value[wanted.kind];
  if (Panel === undefined && failed.value) return <Unloaded onClosed={() => (failed.value = false)} />;
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

/** A part of the page that is fetched when it is first opened did not come: offline, or the service was upgraded meanwhile. */
function Unloaded({ onClosed }: { readonly onClosed: () => void }) {
  // It is tried again when it is opened again.
  useEffect(() => onClosed, []);
  return (
    <Sheet title="This part could not be loaded" small>
      <p class="fault">
        ▲{' '}
        {navigator.onLine
          ? 'The service may have been upgraded since this page was loaded.'
          : 'This device is offline.'}
      </p>
      <p class="actions">
        <button type="button" class="primary" onClick={() => location.reload()}>
          Reload the page
        </button>
      </p>
    </Sheet>
  );
}
