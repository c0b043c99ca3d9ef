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
  return [
    'Processor time of a request where so many come each second before an upstream that takes 1.5 s, µs:',
    table(
      ['requests/s', 'Lontar', 'Portkey', 'times'],
      rows.map(({ perSecond, service, portkey }) => [
        String(perSecond),
        service.toFixed(0),
        portkey.toFixed(0),
        `${(service / portkey).toFixed(2)} ×`,
      ]),
    ),
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
