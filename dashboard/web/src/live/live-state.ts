import type {
  Fleet,
  LogRow,
  Moment,
  Part,
  SnapshotMessage,
  StatsMessage,
  Tiles,
  Trouble,
} from '@lontar/shared/dashboard-contract.ts';
import { batch, computed, signal } from '@preact/signals';
import type { shell } from '../words/shell.ts';
import { connectionState } from './connection.ts';
import { addRows, mergeMoments } from './merge-live.ts';

/** Everything that the server sends the page, as it was sent last. Numbers stay when the connection goes. */
export const tiles = signal<Tiles | undefined>(undefined);
export const moments = signal<readonly Moment[]>([]);
export const fleet = signal<Fleet | undefined>(undefined);
/** What is wrong with the service now, the worst first. */
export const troubles = signal<readonly Trouble[]>([]);
/** Newest first; `undefined` before the first snapshot. */
export const rows = signal<readonly LogRow[] | undefined>(undefined);
/** How many rows have come in all; what waits behind "12 new" is counted by it. */
export const rowsCome = signal(0);
export const signedIn = signal(false);
export const logContent = signal(true);
export const version = signal('');
/** Why a part cannot be shown now; the part keeps what it showed. */
export const faults = signal<Readonly<Partial<Record<'tiles' | 'moments' | 'fleet' | 'log', Lack>>>>({});

/** A part that cannot be shown now. */
export type Lack = Extract<Part<unknown>, { ok: false }>;

/** The server wants a sign-in before it shows anything. */
export const signedOut = signal(false);
/** Why there is no connection, in the words of a language. */
export const trouble = signal<(words: ReturnType<typeof shell>) => string>(() => '');

export const socketOpen = signal(false);
export const dataAt = signal<number | undefined>(undefined);
export const since = signal(Date.now());
/** This page's clock, a step each second. */
export const clock = signal(Date.now());

export const connection = computed(() =>
  connectionState({ socketOpen: socketOpen.value, dataAt: dataAt.value, since: since.value, now: clock.value }),
);

/** Takes everything anew. */
export function takeSnapshot(message: SnapshotMessage): void {
  batch(() => {
    signedIn.value = message.signedIn;
    logContent.value = message.logContent;
    version.value = message.version;
    signedOut.value = false;
    moments.value = [];
    takeStats(message);
    if (message.log?.ok) rows.value = message.log.data;
    else if (rows.value === undefined) rows.value = [];
    faults.value = { ...faults.value, ...faultOf('log', message.log) };
  });
}

/** Takes the counters that came with the page itself. */
export function takeFirstTiles(first: Tiles): void {
  takeStats({ at: Date.now(), tiles: { ok: true, data: first }, moments: { ok: true, data: [] } });
}

/** Takes the numbers of now. Only numbers make data fresh: a server that cannot read them sends an excuse. */
export function takeStats(message: StatsMessage): void {
  batch(() => {
    if (message.tiles.ok) {
      tiles.value = message.tiles.data;
      dataAt.value = Date.now();
      clock.value = Date.now();
    }
    if (message.moments.ok) moments.value = mergeMoments(moments.value, message.moments.data);
    if (message.fleet?.ok) fleet.value = message.fleet.data;
    takeTroubles(message.troubles ?? []);
    faults.value = {
      ...faults.value,
      ...faultOf('tiles', message.tiles),
      ...faultOf('moments', message.moments),
      ...faultOf('fleet', message.fleet),
    };
  });
}

/** Takes rows that have just been answered, oldest first. */
export function takeRows(come: readonly LogRow[]): void {
  batch(() => {
    rows.value = addRows(rows.value ?? [], come);
    rowsCome.value += come.length;
  });
}

/** The same troubles stay the same value: the banner is read out when it changes. */
function takeTroubles(found: readonly Trouble[]): void {
  if (JSON.stringify(found) !== JSON.stringify(troubles.value)) troubles.value = found;
}

function faultOf(name: string, part: Part<unknown> | undefined): Record<string, Lack | undefined> {
  return { [name]: part !== undefined && !part.ok ? part : undefined };
}
