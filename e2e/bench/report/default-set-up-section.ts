import type { Results } from '../results.ts';
import type { Table } from './alone-section.ts';
import { peersSection } from './peers.ts';

/** What `npm start` takes when it is left alone, and what others say of theirs. */
export function defaultSetUpSection(table: Table, results: Results): string[] {
  const { defaultSetUp, openLoops = [] } = results;
  return [...openLoopTable(table, openLoops), ...idleTable(table, defaultSetUp), ...peersSection(table, results)];
}

function openLoopTable(table: Table, rows: NonNullable<Results['openLoops']>): string[] {
  if (rows.length === 0) return [];
  const isFloorKnown = rows.some(({ queue }) => queue !== undefined);
  const floor = (queue: number | undefined, portkey: number) =>
    queue === undefined ? ['', ''] : [queue.toFixed(0), `${(queue / portkey).toFixed(2)} ×`];
  return [
    'Processor time of a request where so many come each second before an upstream that takes 1.5 s, µs:',
    table(
      ['requests/s', 'Lontar', 'Portkey', 'times', ...(isFloorKnown ? ['bare BullMQ loop', 'times'] : [])],
      rows.map(({ perSecond, service, portkey, queue }) => [
        String(perSecond),
        service.toFixed(0),
        portkey.toFixed(0),
        `${(service / portkey).toFixed(2)} ×`,
        ...(isFloorKnown ? floor(queue, portkey) : []),
      ]),
    ),
    ...(isFloorKnown
      ? [
          'The bare loop is two programs and a Redis that do nothing but add a job, wait for 1.5 s and send 2 KB back: what a durable job costs without HTTP, limits, masking and a model.',
        ]
      : []),
  ];
}

function idleTable(table: Table, figures: Results['defaultSetUp']): string[] {
  if (figures === undefined) return ['A default set-up that is left alone was not measured in this run.'];
  const { startSeconds, idleShare, idleMegabytes, loadedMegabytes = {} } = figures;
  return [
    `A default set-up (\`npm start\`, with Redis) that is left alone, as shares of one core and proportional set sizes, and its sizes with 500 requests a second to an upstream of 1.5 s; a start with everything in place gives its first answer after ${startSeconds.toFixed(2)} s.`,
    table(
      ['process', 'of a core', 'MB', 'MB with 500 requests/s'],
      Object.entries(idleShare).map(([name, share]) => [
        name,
        `${(share * 100).toFixed(2)} %`,
        idleMegabytes[name]?.toFixed(0) ?? '',
        loadedMegabytes[name]?.toFixed(0) ?? '',
      ]),
    ),
  ];
}
