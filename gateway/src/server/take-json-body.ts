import type { GatewayMetrics } from '@lontar/shared/gateway-metrics.ts';
import { oneATurn } from '@lontar/shared/one-a-turn.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';
import { within } from '@lontar/shared/within.ts';
import type { Request } from 'express';
import { noteBody } from '../caller/identify.ts';
import type { Answer } from '../envelope/answer.ts';
import type { Protocol, RequestContext } from '../envelope/request-context.ts';
import { foreseeRefusal, type JudgeDeps, refuseForBody } from '../generation/judge-head.ts';
import { headProblem, parseObject, tooLargeProblem, transferProblem } from './body.ts';
import type { BodyBounds, BodyBudget, BodyShare, TooMuch } from './body-budget.ts';
import { expectsContinue } from './hold-body.ts';
import { type BodyReading, readBody, takeArrived } from './read-body.ts';
import { refuseTooMuch } from './too-much.ts';

/** A body that says to be no longer than this may come before its caller was judged, bytes. */
const SHORT_BODY_BYTES = 16 * 1024;
/** How long it has for that, ms. Most come in one piece with their head, or a moment later. */
const SHORT_BODY_MS = 50;
/** Bodies beyond this are parsed one a turn of the event loop, bytes. */
const LONG_BODY_BYTES = 64 * 1024;

const inTurn = oneATurn();

export interface BodyDeps extends JudgeDeps {
  /** The longest body, bytes, by what is spoken. */
  readonly mostBodyBytes: Readonly<Record<Protocol, number>>;
  readonly bodies: BodyBudget;
  readonly bodyBounds: BodyBounds;
  /** Called after a request was refused of which so much had been read, bytes. */
  readonly onRefusedBytes: (bytes: number) => void;
  readonly metrics: Pick<GatewayMetrics, 'tooMuch'>;
  readonly clock: RedisClock;
}

/**
 * Reads a POST's JSON object into its context. The caller is judged by the head before the body is read, unless that is
 * short and here at once: admission then judges everything in one step, and Redis is asked once.
 *
 * @returns the refusal, in which case the request has been counted
 */
export async function takeJsonBody(
  deps: BodyDeps,
  request: Request,
  context: RequestContext,
): Promise<Answer | undefined> {
  const { protocol } = context;
  const most = deps.mostBodyBytes[protocol];
  const problem = headProblem(request, most, protocol);
  if (problem) return refuseForBody(deps, context, problem);
  const share = deps.bodies.open(context.address);
  if (typeof share === 'string') {
    return refuseForBody(deps, context, tooMuch(deps, share, 'bodies'));
  }
  try {
    const length = shortLength(request);
    const arrived = length === undefined ? undefined : await whatArrived(request, share, length);
    let read: BodyReading | undefined = arrived && { kind: 'whole', bytes: arrived };
    let reading = read === undefined && length !== undefined ? readBody(request, share, most) : undefined;
    read ??= reading && ((await thisTurn(reading)) ?? (await within(SHORT_BODY_MS, reading)));
    if (read === undefined) {
      const refusal = await foreseeRefusal(deps, context);
      if (refusal) return refusal;
      reading ??= readBody(request, share, most);
      read = await reading;
    }
    const parsed =
      read.kind === 'whole' ? await parse(read.bytes, protocol) : { problem: problemOf(deps, read, protocol) };
    if ('problem' in parsed) return refuseForBody(deps, context, parsed.problem);
    noteBody(context, parsed.object);
    return undefined;
  } finally {
    context.bodyBytes = share.bytes;
    share.close();
  }
}

/** The body that came with its head: Node's parser hands it over before the next promise is settled. */
async function whatArrived(request: Request, share: BodyShare, length: number): Promise<Buffer | undefined> {
  await PARSED;
  return takeArrived(request, share, length);
}

const PARSED = Promise.resolve();

/** What came with its head has been read when this turn of the event loop ends; a timer for it would cost as much as the reading. */
function thisTurn(reading: Promise<BodyReading>): Promise<BodyReading | undefined> {
  endOfTurn ??= new Promise((resolve) => {
    setImmediate(() => {
      endOfTurn = undefined;
      resolve(undefined);
    });
  });
  return Promise.race([reading, endOfTurn]);
}

/** One for all bodies of a turn. */
let endOfTurn: Promise<undefined> | undefined;

/** Parsing what is long takes some milliseconds; many such bodies may come at once. */
function parse(bytes: Buffer, protocol: Protocol) {
  return bytes.length <= LONG_BODY_BYTES ? parseObject(bytes, protocol) : inTurn(() => parseObject(bytes, protocol));
}

/** How long the body says to be, where that is short and it comes at once, bytes. */
function shortLength(request: Request): number | undefined {
  const length = Number(request.headers['content-length']);
  return length <= SHORT_BODY_BYTES && !expectsContinue(request) ? length : undefined;
}

function tooMuch(
  { bodyBounds, metrics, clock }: Pick<BodyDeps, 'bodyBounds' | 'metrics' | 'clock'>,
  whose: TooMuch,
  what: 'bodies' | 'bytes',
): Answer {
  metrics.tooMuch.inc({ what, whose });
  const limit = what === 'bodies' ? bodyBounds.bodiesPerAddress : bodyBounds.bytesPerAddress;
  return refuseTooMuch(whose, what, limit, clock.now());
}

function problemOf(
  deps: Pick<BodyDeps, 'bodyBounds' | 'metrics' | 'clock' | 'mostBodyBytes'>,
  read: Exclude<BodyReading, { kind: 'whole' }>,
  protocol: Protocol,
): Answer {
  switch (read.kind) {
    case 'too_large':
      return tooLargeProblem(deps.mostBodyBytes[protocol], protocol);
    case 'too_much':
      return tooMuch(deps, read.of, 'bytes');
    case 'tiny_chunks':
    case 'cut_off':
      return transferProblem(read.kind, protocol);
  }
}
