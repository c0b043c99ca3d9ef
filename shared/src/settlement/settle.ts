import { GENERATION_JOB } from '../generation-job.ts';
import { jobKeys } from '../generation-queue.ts';
import { queueKeys } from '../queue/queue-keys.ts';
import type { RedisTime } from '../redis-clock.ts';
import type { Redis } from '../redis-connection.ts';
import { keysOfStream, redisKeys } from '../redis-keys.ts';
import { loadScript } from '../redis-script.ts';
import { chargeTerms, impliesCost } from './charge.ts';
import { parseSettlement, type Settlement, writeSettlement } from './settlement.ts';

const settleScript = loadScript(new URL('./settle.lua', import.meta.url));
const rejoinScript = loadScript(new URL('./rejoin.lua', import.meta.url));
const noteStartScript = loadScript(new URL('./note-start.lua', import.meta.url));

export interface SettleInput {
  readonly requestId: string;
  readonly keyId: string;
  /** Without `charged`: that is decided here. */
  readonly settlement: Settlement;
  /**
   * Whether asking the model for this request may have cost money. Absent for who cannot know: Redis is asked. Of no
   * interest where the settlement itself says that the model did its work.
   */
  readonly cost?: 'yes' | 'no';
  /** `FREE_FAILURES_PER_HOUR`; absent where the failure is one that the setting does not bound. */
  readonly freeFailuresPerHour?: number;
  /** The job's start that settles, from 1; absent for a gateway or the sweeper, which no retry can overtake. */
  readonly attempt?: number;
  /** Gateway instance to send the reply to; absent when the caller is that gateway itself. */
  readonly replyTo?: string;
  /** Ask workers to stop working on the request. */
  readonly cancel?: boolean;
  /** Where a worker has the job, only ask it to stop: it settles the request, see `in work`. */
  readonly leaveToWorker?: boolean;
  /**
   * The caller has been told that the request failed and was not charged: nothing is charged, and where it was all the same,
   * the charge is given back.
   */
  readonly takeBack?: boolean;
}

export type SettleResult =
  /** With `charged`, by this call or by an earlier one that was first. */
  | { readonly kind: 'settled' | 'already'; readonly settlement: Settlement }
  /** A worker has the job. The request is marked as left, and the worker asked to stop and to settle it. */
  | { readonly kind: 'in work' }
  | { readonly kind: 'fenced' }
  | { readonly kind: 'gone' };

/**
 * Settles a request, once: stores the outcome, charges or refunds the key, frees its place among the requests in
 * flight, and replies. See settle.lua for the contract. Safe to repeat.
 *
 * @throws when Redis cannot be reached or refuses the write; whether the request was settled is then unknown
 */
export async function settle(redis: Redis, input: SettleInput): Promise<SettleResult> {
  const { requestId, keyId, settlement } = input;
  const keys = [
    redisKeys.request(requestId),
    redisKeys.keyFlight(keyId),
    redisKeys.apiKey(keyId),
    redisKeys.inbox(input.replyTo ?? ''),
    redisKeys.inboxBytes(input.replyTo ?? ''),
    ...keysOfStream(requestId),
  ];
  const args = [
    requestId,
    input.takeBack ? 'refund' : chargeTerms(settlement),
    writeSettlement(withCharge(settlement, true)),
    GENERATION_JOB.resultTtlMs,
    input.attempt ?? 0,
    input.replyTo === undefined ? 0 : 1,
    input.cancel || input.leaveToWorker ? redisKeys.cancellations : '',
    input.takeBack ? 1 : 0,
  ];
  if (!impliesCost(settlement)) {
    const { job, lock } = jobKeys(requestId);
    keys.push(job, lock, redisKeys.keyFreeFailures(keyId), queueKeys.waiting);
    args.push(
      writeSettlement(withCharge(settlement, false)),
      input.cost ?? 'look',
      input.freeFailuresPerHour ?? 0,
      input.leaveToWorker ? 1 : 0,
    );
  }
  const reply = (await settleScript(redis, keys, args)) as
    | ['settled', Charge]
    | ['already', Charge, string]
    | ['in work' | 'fenced' | 'gone'];
  return readResult(settlement, reply);
}

type Charge = 'charge' | 'refund';

/** Reads what the scripts that settle say of one request. */
export function readResult(
  settlement: Settlement,
  [kind, charge, json]: readonly [kind: SettleResult['kind'], charge?: string, json?: string],
): SettleResult {
  if (kind === 'settled') return { kind, settlement: withCharge(settlement, charge === 'charge') };
  if (kind === 'already') return { kind, settlement: readStored(json ?? '', charge === 'charge') };
  return { kind };
}

export function withCharge(settlement: Settlement, charged: boolean): Settlement {
  return settlement.outcome === 'answered' ? settlement : { ...settlement, charged };
}

/** What another version stored in a form that this one cannot read is an internal error here, charged as it was. */
function readStored(json: string, charged: boolean): Settlement {
  return withCharge(parseSettlement(json) ?? { v: 1, outcome: 'failed', error: 'internal_error' }, charged);
}

/** One more start of a job, which asks whether it may run. */
export interface RejoinInput {
  readonly requestId: string;
  readonly keyId: string;
  readonly replyTo: string;
  /** Number of this start, from 2; 1 for a first start that is late. */
  readonly start: number;
  /** How often the queue has taken the job back from a worker that was lost. */
  readonly losses: number;
  /** When the job came. */
  readonly receivedAt: RedisTime;
  /** When Redis last came back after an absence that ends locks; 0 where it never was away. */
  readonly redisBackAt: RedisTime;
  /** No other job that workers died of runs in this worker. */
  readonly alone: boolean;
  /** `FREE_FAILURES_PER_HOUR`: a call that may have cost money beyond the second needs a free failure of its own. */
  readonly freeFailuresPerHour: number;
}

/** Whether a job that is started again may go on; `spent`: a call may have cost money, see `noteCost`. */
export type Rejoined =
  | { readonly kind: 'run' | 'left' | 'alone'; readonly spent: boolean }
  /** Text of an earlier start was visible, and no other's may follow: it is to be settled as `stream_broken`. */
  | { readonly kind: 'broken'; readonly spent: boolean }
  /** It must not run again; `deaths`: how many workers died of it. */
  | { readonly kind: 'deadly'; readonly spent: boolean; readonly deaths: number }
  /** A later start runs by now: this one's worker was judged lost while it was slow. */
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'settled' | 'gone' };

/**
 * Asks whether a job that is started again may go on, and counts the workers that died of it; sends the reply again
 * where it was settled. See rejoin.lua for the contract. Safe to repeat.
 *
 * @throws when Redis fails; the deaths may have been counted then, and are not counted twice
 */
export async function rejoin(redis: Redis, input: RejoinInput): Promise<Rejoined> {
  const keys = [
    redisKeys.request(input.requestId),
    redisKeys.keyFlight(input.keyId),
    redisKeys.inbox(input.replyTo),
    redisKeys.keyFreeFailures(input.keyId),
    redisKeys.inboxBytes(input.replyTo),
    redisKeys.apiKey(input.keyId),
  ];
  const [kind, spent, deaths = 0] = (await rejoinScript(redis, keys, [
    input.requestId,
    input.start,
    input.losses,
    input.receivedAt,
    input.redisBackAt,
    input.alone ? 1 : 0,
    GENERATION_JOB.aloneAfterDeaths,
    GENERATION_JOB.deathsAtMost,
    input.freeFailuresPerHour,
  ])) as ['run' | 'left' | 'alone' | 'broken' | 'deadly', number, number?] | ['overtaken' | 'settled' | 'gone'];
  if (kind === 'overtaken' || kind === 'settled' || kind === 'gone') return { kind };
  return kind === 'deadly' ? { kind, spent: spent === 1, deaths } : { kind, spent: spent === 1 };
}

interface NotedRequest {
  readonly requestId: string;
  readonly keyId: string;
}

/**
 * Notes, before a job goes back to the queue, that its model call may have cost money though it brought no result: the
 * process that settles the request has to know. Safe to repeat.
 *
 * @throws when Redis fails; whether it was noted is then unknown
 */
export async function noteCost(redis: Redis, request: NotedRequest): Promise<void> {
  await noteStart(redis, request, 'spent', 1);
}

/**
 * Notes, before a job is handed back to the queue, that this start asked the model nothing: the queue counts a start that
 * was handed back as it counts one whose worker died. Safe to repeat.
 *
 * @param starts how many starts of the job have been handed back, this one included
 * @throws when Redis fails; whether it was noted is then unknown
 */
export async function noteReturn(redis: Redis, request: NotedRequest, starts: number): Promise<void> {
  await noteStart(redis, request, 'returned', starts);
}

async function noteStart(
  redis: Redis,
  { requestId, keyId }: NotedRequest,
  field: 'spent' | 'returned',
  value: number,
): Promise<void> {
  const keys = [redisKeys.request(requestId), redisKeys.keyFlight(keyId)];
  await noteStartScript(redis, keys, [requestId, field, value]);
}
