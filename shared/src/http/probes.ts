import type { ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import type { Logger } from '../logger.ts';
import { throttledWarning } from '../throttled-log.ts';
import { failure, type HttpAnswer, sendAnswer } from './envelope.ts';
import { type RunningServer, serve } from './server.ts';

/** What a scrape takes of a registry. */
export type ScrapedRegistry = Pick<Registry, 'contentType' | 'metrics'>;

const RECEIVE_MS = 5_000;

/** Of `/readyz`: the id of the process that answers, so that what started one knows its own. */
export const PROCESS_ID_HEADER = 'x-process-id';

export interface Readiness {
  readonly ready: boolean;
  /** Why not, in words for the operator. */
  readonly reason?: string;
}

/**
 * Serves `/metrics`, `/livez` (the event loop turns) and `/readyz` on a listener of its own, never on the public port.
 * Without Express, which takes 10 MB and a seventh of a start, for three paths, from a worker that has no other use for it.
 *
 * @param options.readiness asked at each probe; must answer within a second
 * @throws the system's error when the port is taken
 */
export function startProbeListener(options: {
  readonly host: string;
  readonly port: number;
  readonly registry: ScrapedRegistry;
  readonly readiness: () => Promise<Readiness>;
  readonly logger: Logger;
}): Promise<RunningServer> {
  const { registry, readiness, logger, host, port } = options;
  const routes = new Map<string | undefined, () => Promise<HttpAnswer> | HttpAnswer>([
    ['/metrics', () => tellMetrics(registry)],
    ['/livez', () => inWords(200, 'ok')],
    ['/readyz', () => tellReadiness(readiness)],
  ]);
  const warn = throttledWarning(logger, 'a probe failed');
  const answer = async (path: string | undefined, response: ServerResponse) => {
    try {
      const found = await routes.get(path)?.();
      sendAnswer(response, found ?? failure('not_found', 'This port serves /metrics, /livez and /readyz.'));
    } catch (error) {
      warn(error);
      sendAnswer(response, failure('internal_error'));
    }
  };
  return serve(({ url }, response) => void answer(url, response), {
    host,
    port,
    setting: 'METRICS_PORT',
    receiveMs: RECEIVE_MS,
    lastAnswersMs: 0,
  });
}

async function tellMetrics(registry: ScrapedRegistry): Promise<HttpAnswer> {
  return { status: 200, headers: { 'content-type': registry.contentType }, body: await registry.metrics() };
}

async function tellReadiness(readiness: () => Promise<Readiness>): Promise<HttpAnswer> {
  const { ready, reason } = await readiness().catch(() => ({ ready: false, reason: 'the probe failed' }));
  const { status, headers, body } = ready ? inWords(200, 'ok') : inWords(503, `not ready: ${reason}`);
  return { status, headers: { ...headers, [PROCESS_ID_HEADER]: String(process.pid) }, body };
}

function inWords(status: number, words: string): HttpAnswer {
  return { status, headers: { 'content-type': 'text/plain' }, body: `${words}\n` };
}
