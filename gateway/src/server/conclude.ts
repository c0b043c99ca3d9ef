import { ERROR_CATALOG } from '@lontar/shared/errors.ts';
import type { GatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { writeJson } from '@lontar/shared/json-bytes.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import { type CallCharge, ROUTE_LABELS, type RouteLabel } from '@lontar/shared/metrics.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { isThinned, type Outcome, type ReportedEvent, reasonOf } from '@lontar/shared/request-event.ts';
import { EVENT_WAIT_MS, REFUSED_BY_MS } from '@lontar/shared/time-budget.ts';
import { within } from '@lontar/shared/within.ts';
import type { Response } from 'express';
import { wrongFormMessage } from '../caller/key-form.ts';
import { type Answer, type Report, refuse } from '../envelope/answer.ts';
import { elapsedMs, type RequestContext } from '../envelope/request-context.ts';
import { toldMessage } from '../envelope/told-message.ts';
import type { EventLog } from '../events/event-log.ts';
import type { KeyNameOf } from '../events/key-names.ts';
import { renderAnswer } from '../openai/render-answer.ts';
import type { RefusedLines } from './refused-lines.ts';

export interface ConcludeDeps {
  readonly redis: Pick<Redis, 'status'>;
  readonly clock: Pick<RedisClock, 'now'>;
  readonly metrics: Pick<GatewayMetrics, 'requests' | 'requestDuration' | 'callersLeft'>;
  readonly logger: Logger;
  readonly events: EventLog;
  /** For lines of the log alone. */
  readonly keyNameOf: KeyNameOf;
  /** `LOG_REQUESTS` */
  readonly logRequests: boolean;
  /** Bounds the lines about requests that got no further than the door. */
  readonly refusedLines: RefusedLines;
  readonly draining: () => boolean;
  /** `MAX_OUTPUT_TOKENS` */
  readonly mostOutputTokens: number;
}

/**
 * Ends a request: reports it to the statistics, then sends the answer, so that what was answered is counted even if
 * this process is killed the moment after. A caller who has left gets nothing and counts as no answer; one who left and paid
 * is reported to the operator's log.
 */
export async function concludeAnswer(
  deps: ConcludeDeps,
  path: string,
  response: Response,
  context: RequestContext,
  given: Answer,
): Promise<void> {
  if (context.gone.isGone) {
    return concludeLeft(deps, path, context, given.report);
  }
  const answer = inProtocol(deps, response, context, withFormOfKey(context, given));
  await recordEvent(deps, path, context, answer.status, withMessage(answer));
  // A request that came before the stop began has been promised a connection that lasts.
  if (deps.draining()) response.setHeader('Connection', 'close');
  // Not Express's `send`, which would look for an ETag and for what the caller has cached: nothing here may be stored.
  response.statusCode = answer.status;
  setAll(response, answer.headers);
  setAll(response, ignored(context));
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  sendBody(response, writeJson(answer.body));
}

/**
 * Sends a body that is a text or, where there are bytes in it, pieces. As text: Node then writes the head and the first piece
 * as one, and copies nothing. ASCII needs no encoding.
 */
function sendBody(response: Response, body: ReturnType<typeof writeJson>): void {
  if (typeof body === 'string') {
    const bytes = Buffer.byteLength(body);
    response.setHeader('Content-Length', bytes);
    return void response.end(body, bytes === body.length ? 'latin1' : 'utf8');
  }
  response.setHeader(
    'Content-Length',
    body.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0),
  );
  response.cork();
  for (const piece of body) response.write(piece);
  response.end();
}

function setAll(response: Response, headers: Answer['headers']): void {
  for (const name of Object.keys(headers)) response.setHeader(name, headers[name] ?? '');
}

/** Which parameters of the request had no effect. */
export function ignored({ ignoredParameters }: Pick<RequestContext, 'ignoredParameters'>): Record<string, string> {
  return ignoredParameters === undefined ? {} : { 'X-Ignored-Parameters': ignoredParameters };
}

/** Says of what was given for an API key and can be none what is wrong with it. */
function withFormOfKey({ key }: RequestContext, answer: Answer): Answer {
  if (answer.problem?.code !== 'invalid_api_key' || key.kind !== 'presented') return answer;
  const message = wrongFormMessage(key.key.text);
  if (message === undefined) return answer;
  const { headers, report } = answer;
  return refuse('invalid_api_key', { message, headers, report });
}

/** An answer in the form that the path speaks. */
export function inProtocol(
  { clock, mostOutputTokens }: Pick<ConcludeDeps, 'clock' | 'mostOutputTokens'>,
  response: Response,
  { protocol }: Pick<RequestContext, 'protocol'>,
  answer: Answer,
): Answer {
  if (protocol === 'envelope') return answer;
  return renderAnswer(answer, { headerOf: (name) => response.getHeader(name), now: clock.now(), mostOutputTokens });
}

/** Ends a request whose caller has left: one who paid is reported to the operator's log. Never rejects. */
export async function concludeLeft(
  deps: ConcludeDeps,
  path: string,
  context: RequestContext,
  report: Report,
): Promise<void> {
  deps.logger.debug({ requestId: context.id }, 'the caller left before the answer');
  const { keyId, generation } = report;
  // Nothing was reserved, so that there is nothing to report.
  if (generation === undefined) return;
  deps.metrics.callersLeft.inc({ charge: CHARGES[String(generation.charged)] ?? 'open' });
  if (generation.charged !== true || keyId === undefined) return;
  const { status } = ERROR_CATALOG.client_closed;
  const left: Report = { outcome: 'client_error', error: 'client_closed', keyId, generation };
  const event = describeEvent(deps, routeLabel(path), context, status, left);
  void deps.events.append(event);
}

/** By what is known of the charge. */
const CHARGES: Readonly<Record<string, CallCharge>> = { true: 'charged', false: 'given_back' };

/** What the statistics get of an answer, with what its caller is told, word for word, where it is an error. */
export function withMessage({ status, body, report }: Answer): Report {
  const message = status >= 400 ? toldMessage(body) : undefined;
  return message === undefined ? report : { ...report, message };
}

/** Reports to the statistics a request that stats-service answers, when its answer has gone out. */
export function concludeProxied(deps: ConcludeDeps, path: string, response: Response, context: RequestContext): void {
  response.once('finish', () => {
    void recordEvent(deps, path, context, response.statusCode, { outcome: outcomeOfStatus(response.statusCode) });
  });
}

/** Reports a request to the statistics, and waits a moment until that is on its way, see `EventLog`. Never rejects. */
export async function recordEvent(
  deps: ConcludeDeps,
  path: string,
  context: RequestContext,
  status: number,
  report: Report,
): Promise<void> {
  const route = routeLabel(path);
  const responseMs = elapsedMs(context);
  const { outcome } = report;
  deps.metrics.requests.inc({ endpoint: route, outcome });
  deps.metrics.requestDuration.observe({ endpoint: route, outcome }, responseMs / 1000);
  const event = describeEvent(deps, route, context, status, report);
  if (deps.logRequests) logAnswer(deps, event);
  const patienceMs = outcome === 'shed' ? REFUSED_BY_MS - (performance.now() - context.receivedAt) : EVENT_WAIT_MS;
  await safelyAppended(deps, event, Math.min(EVENT_WAIT_MS, patienceMs));
}

function describeEvent(
  { clock }: Pick<ConcludeDeps, 'clock'>,
  route: RouteLabel,
  context: RequestContext,
  status: number,
  { outcome, error, message, keyId, generation }: Report,
): ReportedEvent {
  return {
    v: 1,
    id: context.id,
    at: clock.now(),
    route,
    method: context.method,
    status,
    outcome,
    ...(error && { error }),
    ...(message !== undefined && { message }),
    responseMs: elapsedMs(context),
    address: context.address,
    ...(keyId !== undefined && { keyId }),
    ...(generation && { generation }),
  };
}

/**
 * A line for each answer, with the name of its key, and the upstream that was asked last with its name of the model; of requests that got no further than the door, one a second for each
 * address and reason, and with the name where it is known already: what comes in floods waits for nothing.
 */
function logAnswer(
  { logger, refusedLines, keyNameOf }: Pick<ConcludeDeps, 'logger' | 'refusedLines' | 'keyNameOf'>,
  event: ReportedEvent,
): void {
  const { id: requestId, route, method, status, outcome, message, responseMs: durationMs, address, keyId } = event;
  const modelRoute = event.generation?.route;
  const said = {
    ...(modelRoute !== undefined && { modelRoute }),
    ...(message !== undefined && { told: message }),
  };
  const name = keyId === undefined ? undefined : keyNameOf(keyId);
  const lineWith = (keyName: string | undefined) => {
    const key = keyId !== undefined && { keyId, ...(keyName !== undefined && { keyName }) };
    return { requestId, route, method, status, outcome, durationMs, ...key, ...said };
  };
  if (isThinned(event)) {
    refusedLines.note(kindOf(event), { ...lineWith(typeof name === 'string' ? name : undefined), address });
  } else if (name instanceof Promise) {
    void name.then((found) => logger.info(lineWith(found), 'answered'));
  } else {
    logger.info(lineWith(name), 'answered');
  }
}

/** That no caller can be served is no caller's doing: all refused requests then are of one kind. */
function kindOf(event: ReportedEvent): string {
  if (event.outcome === 'shed') return event.outcome;
  return `${event.address} ${event.status < 400 ? event.route : reasonOf(event)}`;
}

/** Waits until the event is on its way, but not longer than a caller would put up with. */
async function safelyAppended(
  { events, redis }: Pick<ConcludeDeps, 'events' | 'redis'>,
  event: ReportedEvent,
  patienceMs: number,
): Promise<void> {
  const appended = events.append(event);
  if (redis.status !== 'ready') return;
  await within(patienceMs, appended);
}

function routeLabel(path: string): RouteLabel {
  return ROUTE_LABELS.find((label) => label === path) ?? 'other';
}

function outcomeOfStatus(status: number): Outcome {
  if (status >= 500) return 'server_error';
  if (status === 429) return 'rate_limited';
  return status >= 400 ? 'client_error' : 'success';
}
