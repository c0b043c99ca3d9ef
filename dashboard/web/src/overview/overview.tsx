import { ChartsView } from '../charts/charts-view.tsx';
import { FleetView } from '../fleet/fleet-view.tsx';
import { signedIn, version } from '../live/live-state.ts';
import { LogView } from '../log/log-view.tsx';
import { TilesView } from '../tiles/tiles-view.tsx';
import { shell } from '../words/shell.ts';

/** What was answered, how fast, and who is up: all of it live. */
export function Overview() {
  // The numbers may stand in the page before the server has said who looks at it.
  const full = signedIn.value || version.value === '';
  return (
    <>
      <TilesView />
      <ChartsView />
      {full ? (
        <div class="columns">
          <LogView />
          <FleetView />
        </div>
      ) : (
        <p class="hint center">{shell().countersPublic}</p>
      )}
    </>
  );
}
