import type { Tiles } from '@lontar/shared/dashboard-contract.ts';
import type { Outcome } from '@lontar/shared/request-event.ts';
import { computed, useSignal } from '@preact/signals';
import { connection, dataAt, faults, moments, signedIn, tiles } from '../live/live-state.ts';
import { Fault } from '../page/fault.tsx';
import { openBlocked, openReset } from '../page/panels.ts';
import { log } from '../words/log.ts';
import { tiles as wordsOf } from '../words/tiles.ts';
import { formatClock, formatCount } from './format.ts';
import { recentRate, TILES, type Tile } from './tile-list.ts';

/** By the server's clock, which the counters are of. */
const recent = computed(() => recentRate(moments.value, tiles.value?.at ?? 0));

/** The counters. They are no live region: a screen reader would never fall silent. */
export function TilesView() {
  const state = connection.value;
  const old = state !== 'live' && state !== 'connecting' && dataAt.value !== undefined;
  return (
    <section class={`tiles ${old ? 'old' : ''}`} aria-label={wordsOf().title} aria-busy={tiles.value === undefined}>
      {old && <p class="as-of">{wordsOf().asOf(formatClock(dataAt.value ?? 0))}</p>}
      <Fault lack={faults.value.tiles} />
      <div class="tile-grid">
        {TILES.map((tile) => (
          <TileView key={tile.id} tile={tile} tiles={tiles.value} />
        ))}
      </div>
    </section>
  );
}

function TileView({ tile, tiles }: { readonly tile: Tile; readonly tiles: Tiles | undefined }) {
  const explained = useSignal(false);
  const words = wordsOf();
  const name = words.names[tile.id];
  const id = `about-${tile.id}`;
  const close = () => {
    explained.value = false;
  };
  return (
    <div class="tile" onKeyDown={(event) => event.key === 'Escape' && close()}>
      <div class="tile-name">
        <h2>{name}</h2>
        <button
          type="button"
          class="about"
          aria-label={words.whatIs(name)}
          aria-expanded={explained.value}
          aria-controls={id}
          onClick={() => {
            explained.value = !explained.value;
          }}
          onBlur={close}
        >
          ?
        </button>
      </div>
      <p class={`number ${(tiles && tile.tone?.(tiles, recent.value)) ?? ''}`}>
        {tiles === undefined ? <span class="bone" /> : tile.value(tiles)}
      </p>
      <p class="aside">{tiles === undefined ? <span class="bone wide" /> : <Aside tile={tile} tiles={tiles} />}</p>
      <p class="definition" id={id} hidden={!explained.value}>
        {words.definitions[tile.id]}
        {tile.id === 'successRate' && tiles && <Outcomes tiles={tiles} />}
      </p>
    </div>
  );
}

function Aside({ tile, tiles }: { readonly tile: Tile; readonly tiles: Tiles }) {
  if (!signedIn.value) return <>{tile.aside(tiles, recent.value)}</>;
  const words = wordsOf();
  if (tile.id === 'blocked') return <TileButton text={words.showList} onClick={() => openBlocked()} />;
  if (tile.id !== 'sinceReset') return <>{tile.aside(tiles, recent.value)}</>;
  return (
    <>
      {tile.aside(tiles, recent.value)} · <TileButton text={words.reset} label={words.resetTotal} onClick={openReset} />
    </>
  );
}

function TileButton(props: { readonly text: string; readonly label?: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="link" aria-label={props.label} aria-haspopup="dialog" onClick={props.onClick}>
      {props.text}
    </button>
  );
}

/** Today's outcomes one by one, those that the rate does not count among them. */
function Outcomes({ tiles }: { readonly tiles: Tiles }) {
  const seen = Object.entries(tiles.outcomesToday) as [Outcome, number][];
  if (seen.length === 0) return null;
  return (
    <span class="outcomes">
      {seen.map(([name, count]) => `${log().outcomes[name]}: ${formatCount(count)}`).join(' · ')}
    </span>
  );
}
