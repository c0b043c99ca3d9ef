import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { SignInView } from '../access/sign-in-view.tsx';
import { ChartsView } from '../charts/charts-view.tsx';
import { notice } from '../clipboard/copy.ts';
import { FleetView } from '../fleet/fleet-view.tsx';
import { connection, dataAt, signedIn, signedOut, version } from '../live/live-state.ts';
import { LogView } from '../log/log-view.tsx';
import { TilesView } from '../tiles/tiles-view.tsx';
import { Header, Trouble } from './header.tsx';
import { panel } from './panels.ts';
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
  const wanted = panel.value;
  if (wanted === undefined) return null;
  if (!signedIn.value && wanted.kind !== 'try') return null;
  const Panel = loaded.value[wanted.kind];
  if (Panel === undefined) {
    void PANELS[wanted.kind]().then((component) => {
      loaded.value = { ...loaded.value, [wanted.kind]: component };
    });
    return null;
  }
  return <Panel key={wanted.kind} {...wanted} />;
}
