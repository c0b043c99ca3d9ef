import type { Results } from '../results.ts';
import type { Table } from './alone-section.ts';
import { find } from './budgets.ts';
import { type Bar, drawBars } from './chart.ts';

const CONNECTIONS = 10;

/** One program in the shape in which GoModel's makers published theirs; absent is what is not known. */
interface Standing {
  readonly program: string;
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
  readonly megabytes?: number | undefined;
  readonly imageMegabytes?: number | undefined;
  readonly startSeconds?: number | undefined;
}

/** GoModel's published run of June 2026. */
const PUBLISHED: readonly Standing[] = [
  standing('GoModel (Go)', [1.8, 6.9, 4_900, 37, 16, 0.56]),
  standing('Bifrost (Go)', [2.5, 18.3, 3_100, 143, 77, 7.1]),
  standing('Portkey', [9.7, 30.5, 950, 112, 59, 1.1]),
  standing('LiteLLM', [30.6, 39.3, 324, 2_300, 372, 25.5]),
];

/** What this run has measured in the same shape: two cores, ten connections, a mock upstream that answers at once. */
function measuredHere(results: Results): Standing[] {
  const { throughput, defaultSetUp, image } = results;
  const [ours, portkey] = [find(throughput, 'service', CONNECTIONS), find(throughput, 'portkey', CONNECTIONS)];
  const { residentBytes = {} } = portkey ?? {};
  const loaded = defaultSetUp?.loadedMegabytes;
  const resident = residentBytes['portkey'];
  return [
    ...(ours === undefined
      ? []
      : [
          {
            ...{ program: 'Lontar, here', p50: ours.p50, p99: ours.p99, perSecond: ours.perSecond },
            megabytes: loaded && Object.values(loaded).reduce((all, one) => all + one, 0),
            imageMegabytes: image?.compressedMegabytes,
            startSeconds: defaultSetUp?.startSeconds,
          },
        ]),
    ...(portkey === undefined
      ? []
      : [
          {
            ...{ program: 'Portkey, here', p50: portkey.p50, p99: portkey.p99, perSecond: portkey.perSecond },
            megabytes: resident === undefined ? undefined : resident / 1e6,
          },
        ]),
  ];
}

/** Ours beside others, as a table and a picture. */
export function peersSection(table: Table, results: Results): string[] {
  const rows = [...measuredHere(results), ...PUBLISHED].map((one) => [
    one.program,
    one.p50.toFixed(1),
    one.p99.toFixed(1),
    whole(one.perSecond),
    whole(one.megabytes),
    whole(one.imageMegabytes),
    one.startSeconds === undefined ? '' : `${Number(one.startSeconds.toFixed(2))} s`,
  ]);
  return [
    'Beside others, at ten connections with answers of 2 KB at once. Rows with "here" are of this run. All others are **a vendor\'s figures, not ours**: GoModel\'s ' +
      'makers published them in June 2026 (two cores, ten connections, a mock upstream, on a machine of their own), and between machines only the order of size can be ' +
      'compared. None of the others queues, masks or charges exactly. Our memory is that of all processes with Redis at 500 requests a second to a slow model; our image is ' +
      'compressed, with all services in it; our start is that of all of them, to the first answer.',
    '![Requests per second at ten connections, ours and what vendors say of theirs](performance-peers.svg)',
    table(['program', 'p50 ms', 'p99 ms', 'requests/s', 'MB', 'image MB', 'start'], rows),
  ];
}

/** Requests per second of all of them, as SVG. */
export function drawPeers(results: Results): string {
  const bar = (kind: Bar['kind'], says: string) => (one: Standing) => ({
    name: one.program,
    value: one.perSecond,
    label: `${whole(one.perSecond)} /s, p99 ${one.p99.toFixed(0)} ms${says}`,
    kind,
  });
  const [ours, portkey] = [measuredHere(results).slice(0, 1), measuredHere(results).slice(1)];
  return drawBars('Requests per second at 10 connections', [
    ...ours.map(bar('own', '')),
    ...portkey.map(bar('other', '')),
    ...PUBLISHED.map(bar('told', ', says a vendor')),
  ]);
}

function standing(program: string, figures: readonly [number, number, number, number, number, number]): Standing {
  const [p50, p99, perSecond, megabytes, imageMegabytes, startSeconds] = figures;
  return { program, p50, p99, perSecond, megabytes, imageMegabytes, startSeconds };
}

function whole(value: number | undefined): string {
  return value === undefined ? '' : Math.round(value).toLocaleString('en-US');
}
