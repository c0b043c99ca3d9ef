import { GENERATION_JOB } from '../generation-job.ts';
import { QUEUE_KEYS, queueKeys } from '../queue/queue-keys.ts';
import type { Redis } from '../redis-connection.ts';
import { keysOfStream, redisKeys } from '../redis-keys.ts';
import { loadScript } from '../redis-script.ts';
import { JOB_LOCK_MS } from '../time-budget.ts';
import { chargeTerms, impliesCost } from './charge.ts';
import { readResult, type SettleInput, type SettleResult, withCharge } from './settle.ts';
import { type Settlement, withoutText, writeSettlement } from './settlement.ts';

const turnScript = loadScript(new URL('./turn.lua', import.meta.url));

/** Bytes of jobs after which a turn takes no further one. */
const MOST_BYTES_TAKEN = 262_144;

/** A start of a job that has come to its end. */
export interface Ending {
  readonly requestId: string;
  /** The lock of the job that is to be finished; absent where the job stays as it is. */
  readonly lock?: string;
  /** What its worker knows of the request; absent where nothing is to be settled. */
  readonly settle?: Pick<
    SettleInput,
    'keyId' | 'settlement' | 'cost' | 'freeFailuresPerHour' | 'attempt' | 'replyTo'
  > & {
    /** Of a request whose answer its gateways got as it grew: they get its text no second time. */
    readonly streamed?: {
      /** Gateways that follow it, beside the one that asked for it. */
      readonly followers: readonly string[];
    };
  };
}

export interface Ended {
  /** Absent where nothing was to be settled. */
  readonly settled?: SettleResult;
  /**
   * `finished`: the job is gone. `lost`: it is another start's by now, or will be, and was left alone. `gone`: it was not
   * there. `kept`: it was not to be finished.
   */
  readonly job: 'finished' | 'lost' | 'gone' | 'kept';
}

/** A job that was taken: its id, and the fields of its hash and their values in turn, as BullMQ reads them. */
export type TakenJob = readonly [requestId: string, hash: readonly string[]];

export interface Turn {
  readonly endings: readonly Ending[];
  /** How many jobs to take at most; 0 takes none. */
  readonly take: number;
  /** The lock of the jobs that are taken: of this turn and no other. */
  readonly lock: string;
}

export interface TurnResult {
  /** One for each ending, in their order; an error where that one failed. */
  readonly ended: readonly (Ended | Error)[];
  readonly taken: readonly TakenJob[] | Error;
  /** When the next delayed job is due, Unix ms; 0 where none is. */
  readonly nextAt: number;
}

/**
 * Tells Redis of everything that has ended in one turn of a worker's event loop, and takes the next jobs: one script. See
 * turn.lua for the contract.
 *
 * @throws when Redis cannot be reached or refuses the whole script; what became of the endings is then unknown, and each may
 *   be sent again, and jobs that were taken are given back by their lock (worker/src/recovery)
 */
export async function runTurn(redis: Redis, { endings, take, lock }: Turn): Promise<TurnResult> {
  const inboxes = [...new Set(endings.flatMap((ending) => gatewaysOf(ending)))];
  const streamed = endings.filter(({ settle }) => settle?.streamed !== undefined).length;
  const keys = [...KEYS_OF_QUEUE, ...inboxes.flatMap((name) => [redisKeys.inbox(name), redisKeys.inboxBytes(name)])];
  const args = [QUEUE_KEYS, lock, JOB_LOCK_MS, take, MOST_BYTES_TAKEN, GENERATION_JOB.resultTtlMs, inboxes.length];
  const all: (string | number)[] = [...args, endings.length, streamed];
  for (const ending of endings) {
    pushKeys(keys, ending);
    pushArguments(all, ending, inboxes);
  }
  if (streamed > 0) for (const [index, ending] of endings.entries()) pushStream(keys, all, index + 1, ending, inboxes);
  const [ended, jobs, nextAt] = (await turnScript(redis, keys, all)) as [EndedReply[], TakenReply, string];
  return {
    ended: ended.map((reply, index) => readEnded(reply, endings[index])),
    taken: isFailure(jobs) ? new Error(jobs[1]) : jobs,
    nextAt: Number(nextAt),
  };
}

/** About how many bytes one ending's settlement has: what bounds a turn. */
export function bytesOf({ settle }: Ending): number {
  if (settle === undefined || settle.settlement.outcome !== 'answered') return 0;
  const { text, reasoning = '', toolCalls = [] } = settle.settlement;
  return toolCalls.reduce(
    (sum, { name, arguments: json }) => sum + name.length + json.length,
    text.length + reasoning.length,
  );
}

function gatewaysOf({ settle }: Ending): readonly string[] {
  if (settle === undefined) return [];
  const { replyTo, streamed } = settle;
  return [...(replyTo === undefined ? [] : [replyTo]), ...(streamed?.followers ?? [])];
}

const KEYS_OF_QUEUE = [
  queueKeys.waiting,
  queueKeys.active,
  queueKeys.stalled,
  queueKeys.delayed,
  queueKeys.prioritized,
  queueKeys.marker,
  queueKeys.meta,
];

type Failure = readonly ['error', string];
type EndedReply = readonly [SettleResult['kind'] | '', string, string, Ended['job'] | ''] | Failure;
type TakenReply = readonly TakenJob[] | Failure;

function isFailure(reply: readonly unknown[]): reply is Failure {
  return reply[0] === 'error';
}

function pushKeys(keys: string[], { requestId, settle }: Ending): void {
  const keyId = settle?.keyId ?? '';
  const job = queueKeys.job(requestId);
  keys.push(redisKeys.request(requestId), redisKeys.keyFlight(keyId), redisKeys.apiKey(keyId));
  keys.push(job, `${job}:lock`, redisKeys.keyFreeFailures(keyId));
}

function pushArguments(args: (string | number)[], { requestId, lock, settle }: Ending, inboxes: string[]): void {
  args.push(requestId, lock ?? '');
  if (settle === undefined) {
    args.push('', '', '', '', '', '', '');
    return;
  }
  const { settlement, attempt, replyTo, cost, freeFailuresPerHour } = settle;
  const unpaid = impliesCost(settlement) ? '' : writeSettlement(withCharge(settlement, false));
  args.push(chargeTerms(settlement), attempt ?? 0, replyTo === undefined ? 0 : inboxes.indexOf(replyTo) + 1);
  args.push(writeSettlement(withCharge(settlement, true)), unpaid, cost ?? 'look', freeFailuresPerHour ?? 0);
}

function pushStream(
  keys: string[],
  args: (string | number)[],
  number: number,
  { requestId, settle }: Ending,
  inboxes: readonly string[],
): void {
  if (settle?.streamed === undefined) return;
  keys.push(...keysOfStream(requestId));
  const others = settle.streamed.followers.filter((gateway) => gateway !== settle.replyTo);
  args.push(number, writeShort(settle.settlement), others.map((name) => inboxes.indexOf(name) + 1).join());
}

/** '' where there is nothing to leave out. */
function writeShort(settlement: Settlement): string {
  return settlement.outcome === 'answered' ? writeSettlement(withoutText(settlement)) : '';
}

function readEnded(reply: EndedReply, ending: Ending | undefined): Ended | Error {
  if (isFailure(reply)) return new Error(reply[1]);
  const [kind, charge, json, job] = reply;
  const settle = ending?.settle;
  return {
    job: job === '' ? 'kept' : job,
    ...(settle && kind !== '' && { settled: readResult(settle.settlement, [kind, charge, json]) }),
  };
}
