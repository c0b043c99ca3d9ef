import type { Results } from '../results.ts';
import type { Table } from './alone-section.ts';

/** What `npm start` takes when it is left alone, and what others say of theirs. */
export function defaultSetUpSection(table: Table, { defaultSetUp, openLoops = [] }: Results): string[] {
  return [...openLoopTable(table, openLoops), ...idleTable(table, defaultSetUp), ...peersTable(table)];
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
  const { startSeconds, idleShare, idleMegabytes } = figures;
  return [
    `A default set-up (\`npm start\`, with Redis) that is left alone, as shares of one core and proportional set sizes; a start with everything in place gives its first answer after ${startSeconds.toFixed(2)} s.`,
    table(
      ['process', 'of a core', 'MB'],
      Object.entries(idleShare).map(([name, share]) => [
        name,
        `${(share * 100).toFixed(2)} %`,
        (idleMegabytes[name] ?? Number.NaN).toFixed(0),
      ]),
    ),
  ];
}

/** GoModel's published run of June 2026. */
const PEERS = [
  ['GoModel (Go)', '1.8', '6.9', '4,900', '37', '16', '0.56 s'],
  ['Bifrost (Go)', '2.5', '18.3', '3,100', '143', '77', '7.1 s'],
  ['Portkey', '9.7', '30.5', '950', '112', '59', '1.1 s'],
  ['LiteLLM', '30.6', '39.3', '324', '2,300', '372', '25.5 s'],
] as const;

function peersTable(table: Table): string[] {
  return [
    "Where others stand by their own account: a vendor's figures, not ours (GoModel's makers, June 2026; two cores, ten connections, a mock upstream, on a machine of their own). None of these programs queues, masks or charges exactly.",
    table(['program', 'p50 ms', 'p99 ms', 'requests/s', 'MB', 'image MB', 'cold start'], PEERS),
  ];
}
