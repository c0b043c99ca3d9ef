import { ROUTE_LABELS, type RouteLabel } from '@lontar/shared/metrics.ts';
import type { Outcome, RequestEvent } from '@lontar/shared/request-event.ts';
import type { Response } from 'express';
import type { Answer, Report } from './answer.ts';
import type { AppDeps } from './app.ts';
import { elapsedMs, type RequestContext } from './request-context.ts';

/** How long an answer waits for its event to be safe in Redis, ms; with Redis away it goes out without. */
const EVENT_WAIT_MS = 250;
/** By when a request that is turned away has its answer, counted from its receipt, ms: the contract says one second. */
const REFUSED_BY_MS = 900;

/**
 * Ends a request: tells the statistics, then sends the answer, so that what was answered is counted even if this
 * process dies the moment after. A caller who has left gets nothing and counts as nothing.
 */
export async function concludeAnswer(
  deps: AppDeps,
  path: string,
  response: Response,
  context: RequestContext,
  answer: Answer,
): Promise<void> {
  if (context.gone.aborted) {
    deps.logger.debug({ requestId: context.id }, 'the caller left before the answer');
    return;
  }
  await recordEvent(deps, path, context, answer.status, answer.report);
  // A request that came before the stop began has been promised a connection that lasts.
  if (deps.draining()) response.setHeader('Connection', 'close');
  // Not Express's `send`, which would look for an ETag and for what the caller has cached: nothing here may be stored.
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  const body = JSON.stringify(answer.body);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  // As text: Node then writes head and body in one piece, and copies nothing.
  response.end(body);
}

/** Tells the statistics about a request that stats-service answers, when its answer has gone out. */
export function concludeProxied(deps: AppDeps, path: string, response: Response, context: RequestContext): void {
  response.once('finish', () => {
    void recordEvent(deps, path, context, response.statusCode, { outcome: outcomeOfStatus(response.statusCode) });
  });
}

async function recordEvent(
  deps: AppDeps,
  path: string,
  context: RequestContext,
  status: number,
  report: Report,
): Promise<void> {
  const route = routeLabel(path);
  const responseMs = elapsedMs(context);
  const { outcome, error, keyId, generation } = report;
  deps.metrics.requests.inc({ endpoint: route, outcome });
  deps.metrics.requestDuration.observe({ endpoint: route, outcome }, responseMs / 1000);
  if (deps.logRequests) logAnswer(deps, context, { route, status, outcome, responseMs, keyId });
  const event: RequestEvent = {
    v: 1,
    id: context.id,
    at: deps.clock.now(),
    route,
    method: context.method,
    status,
    outcome,
    ...(error && { error }),
    responseMs,
    address: context.address,
    ...(keyId !== undefined && { keyId }),
    ...(generation && { generation }),
  };
  const patienceMs = outcome === 'shed' ? REFUSED_BY_MS - (performance.now() - context.receivedAt) : EVENT_WAIT_MS;
  await safelyAppended(deps, event, Math.min(EVENT_WAIT_MS, Math.max(0, patienceMs)));
}

interface AnswerLine {
  readonly route: RouteLabel;
  readonly status: number;
  readonly outcome: Outcome;
  readonly responseMs: number;
  readonly keyId: string | undefined;
}

/** A line for each answer, except that thousands may be turned away in a second: of those, one line a second. */
function logAnswer(deps: AppDeps, context: RequestContext, answer: AnswerLine): void {
  const heldBack = answer.outcome === 'shed' ? deps.shedLines() : 0;
  if (heldBack === undefined) return;
  const { route, status, outcome, responseMs: durationMs, keyId } = answer;
  const line = { requestId: context.id, route, method: context.method, status, outcome, durationMs };
  deps.logger.info({ ...line, ...(keyId !== undefined && { keyId }), ...(heldBack > 0 && { heldBack }) }, 'answered');
}

/** Waits until the event is in the stream, but not longer than a caller would put up with. */
async function safelyAppended(
  { events, redis }: Pick<AppDeps, 'events' | 'redis'>,
  event: RequestEvent,
  patienceMs: number,
): Promise<void> {
  const appended = events.append(event);
  if (redis.status !== 'ready') return;
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([appended, patience]);
  clearTimeout(timer);
}

function routeLabel(path: string): RouteLabel {
  return ROUTE_LABELS.find((label) => label === path) ?? 'other';
}

function outcomeOfStatus(status: number): Outcome {
  if (status >= 500) return 'server_error';
  if (status === 429) return 'rate_limited';
  return status >= 400 ? 'client_error' : 'success';
}
