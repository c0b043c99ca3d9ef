import type { Board } from './board.ts';
import { endpoints } from './boards/endpoints.ts';
import { maskingAndTrust } from './boards/masking-and-trust.ts';
import { models } from './boards/models.ts';
import { overview } from './boards/overview.ts';
import { processes } from './boards/processes.ts';
import { queueAndWorkers } from './boards/queue-and-workers.ts';
import { streams } from './boards/streams.ts';
import { upstreams } from './boards/upstreams.ts';
import { buildDashboard } from './build-dashboard.ts';

/** All dashboards, in the order in which one asks their questions. */
export const BOARDS: readonly Board[] = [
  overview,
  endpoints,
  streams,
  queueAndWorkers,
  models,
  upstreams,
  maskingAndTrust,
  processes,
];

/** Where the JSON of the dashboards is, with a file for each. */
export const DASHBOARDS_FOLDER = new URL('../dashboards/', import.meta.url);

/** The text of a dashboard's file. */
export function dashboardFile(board: Board): string {
  return `${JSON.stringify(buildDashboard(board), null, 2)}\n`;
}
