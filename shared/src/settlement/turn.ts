import { GENERATION_JOB } from '../generation-job.ts';
import { QUEUE_KEYS, queueKeys } from '../queue/queue-keys.ts';
import type { Redis } from '../redis-connection.ts';
import { keysOfStream, redisKeys } from '../redis-keys.ts';
import { loadScript, type ScriptArgument } from '../redis-script.ts';
import { JOB_LOCK_MS } from '../time-budget.ts';
import { chargeTerms, impliesCost } from './charge.ts';
import { type KeptText, NOTHING_KEPT, writeRest } from './kept-text.ts';
import { joinText } from './known-literal.ts';
import { readResult, type SettleInput, type SettleResult, withCharge } from './settle.ts';
import { type Settlement, writeSettlement } from './settlement.ts';
import { takesStored } from './stored-replies.ts';

const turnScript = loadScript(new URL('./turn.lua', import.meta.url));

/** Bytes of jobs after which a turn takes no further one. */
const MOST_BYTES_TAKEN = 262_144;

/** Characters or bytes of JSON. */
const LONG_SETTLEMENT = 16_384;

/** How long a settlement is kept that was sent ahead of its script, if that never comes, ms. */
const PREPARED_EXPIRY_MS = 60_000;

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
    /** The JSON of an answer's text, UTF-8, where the settlement's own text is empty, see `withJsonOfText`. */
    readonly textJson?: Buffer | undefined;
    /** Of a request whose answer its gateways got as it grew: they get its text no second time. */
    readonly streamed?: {
      /** Gateways that follow it, beside the one that asked for it. */
      readonly followers: readonly string[];
      /** What its partial texts have: that is not sent again. */
      readonly kept?: KeptText | undefined;
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
 * Tells Redis of everything that has ended in one turn of a worker's event loop, and takes the next jobs: one script, and a
 * second one where a partial text that an answer was to be made of turned out to be another, or Redis had no memory for a long
 * answer that went ahead of the script. See turn.lua for the contract.
 *
 * @throws when Redis cannot be reached or refuses the whole script; what became of the endings is then unknown, and each may
 *   be sent again, and jobs that were taken are given back by their lock (worker/src/recovery)
 */
export async function runTurn(redis: Redis, turn: Turn): Promise<TurnResult> {
  const [ended, jobs, nextAt] = await sendTurn(redis, turn);
  const incomplete = turn.endings.filter((_, index) => isIncomplete(ended[index]));
  // A reply of its own for each: they go on in the order in which they were.
  const again = incomplete.length > 0 ? await sendWhole(redis, incomplete, turn.lock) : [];
  const ends = ended.map((reply) => (isIncomplete(reply) ? (again.shift() ?? reply) : reply));
  return {
    ended: ends.map((reply, index) => readEnded(reply, turn.endings[index])),
    taken: isFailure(jobs) ? new Error(jobs[1]) : jobs,
    nextAt: Number(nextAt),
  };
}

/** Endings with all of their texts. An error in sending them is theirs alone: jobs have been taken. */
async function sendWhole(redis: Redis, endings: readonly Ending[], lock: string): Promise<EndedReply[]> {
  const whole = endings.map((ending) => {
    const { settle } = ending;
    if (settle?.streamed === undefined) return ending;
    return { ...ending, settle: { ...settle, streamed: { ...settle.streamed, kept: NOTHING_KEPT } } };
  });
  try {
    const [ended] = await sendTurn(redis, { endings: whole, take: 0, lock }, false);
    return [...ended];
  } catch (error) {
    return endings.map(() => ['error', error instanceof Error ? error.message : 'unknown']);
  }
}

async function sendTurn(
  redis: Redis,
  { endings, take, lock }: Turn,
  mayPrepare = true,
): Promise<[ended: readonly EndedReply[], jobs: TakenReply, nextAt: string]> {
  const inboxes = [...new Set(endings.flatMap((ending) => gatewaysOf(ending)))];
  const streamed = endings.filter(({ settle }) => settle?.streamed !== undefined).length;
  const keys = [...KEYS_OF_QUEUE, ...inboxes.flatMap((name) => [redisKeys.inbox(name), redisKeys.inboxBytes(name)])];
  const args = [QUEUE_KEYS, lock, JOB_LOCK_MS, take, MOST_BYTES_TAKEN, GENERATION_JOB.resultTtlMs, inboxes.length];
  const all: ScriptArgument[] = [...args, endings.length, streamed];
  for (const ending of endings) {
    pushKeys(keys, ending);
    pushArguments(all, ending, inboxes, mayPrepare ? redis : undefined);
  }
  if (streamed > 0) for (const [index, ending] of endings.entries()) pushStream(keys, all, index + 1, ending, inboxes);
  return (await turnScript(redis, keys, all)) as [EndedReply[], TakenReply, string];
}

/** About how many bytes one ending's settlement has: what bounds a turn. */
export function bytesOf({ settle }: Ending): number {
  if (settle === undefined || settle.settlement.outcome !== 'answered') return 0;
  const { text, reasoning = '', toolCalls = [] } = settle.settlement;
  return toolCalls.reduce(
    (sum, { name, arguments: json }) => sum + name.length + json.length,
    text.length + (settle.textJson?.length ?? 0) + reasoning.length,
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
type EndedReply = readonly [SettleResult['kind'] | 'incomplete' | '', string, string, Ended['job'] | ''] | Failure;
type TakenReply = readonly TakenJob[] | Failure;

function isFailure(reply: readonly unknown[]): reply is Failure {
  return reply[0] === 'error';
}

function isIncomplete(reply: EndedReply | undefined): boolean {
  return reply?.[0] === 'incomplete';
}

function pushKeys(keys: string[], { requestId, settle }: Ending): void {
  const keyId = settle?.keyId ?? '';
  const job = queueKeys.job(requestId);
  keys.push(redisKeys.request(requestId), redisKeys.keyFlight(keyId), redisKeys.apiKey(keyId));
  keys.push(job, `${job}:lock`, redisKeys.keyFreeFailures(keyId));
}

/**
 * The settlement where the key pays. A long one is bytes: a string would be in V8's memory twice more until Redis has replied, in
 * the command and joined for the socket.
 */
function writePaid(settlement: Settlement, textJson: Buffer | undefined): string | Buffer {
  if (textJson && settlement.outcome === 'answered' && settlement.text === '') return joinText(settlement, textJson);
  const json = writeSettlement(withCharge(settlement, true));
  return json.length < LONG_SETTLEMENT ? json : Buffer.from(json);
}

/**
 * Sends a long settlement ahead, by plain commands: a script would copy and hash each of its bytes, and write them into the
 * append-only file twice, in the result and in the reply.
 *
 * @returns what the script is told instead
 */
function prepare(redis: Redis, key: string, json: Buffer): string {
  // In one transaction: a connection that breaks between the two would leave it for ever.
  const sent = [
    redis.multi({ pipeline: false }),
    redis.hset(key, 'result', json),
    redis.pexpire(key, PREPARED_EXPIRY_MS),
    redis.exec(),
  ];
  // Where Redis refuses it, the script says that it is not there.
  for (const command of sent) command.catch(() => undefined);
  return `=${json.length}`;
}

/** @param redis where long settlements may be sent ahead; absent where each is an argument of the script */
function pushArguments(
  args: ScriptArgument[],
  { requestId, lock, settle }: Ending,
  inboxes: string[],
  redis: Redis | undefined,
): void {
  args.push(requestId, lock ?? '');
  if (settle === undefined) {
    args.push('', '', '', '', '', '', '');
    return;
  }
  const { settlement, textJson, attempt, replyTo, cost, freeFailuresPerHour, streamed } = settle;
  const unpaid = impliesCost(settlement) ? '' : writeSettlement(withCharge(settlement, false));
  args.push(chargeTerms(settlement), attempt ?? 0, replyTo === undefined ? 0 : inboxes.indexOf(replyTo) + 1);
  // An answer that was streamed is made of what is said of the stream.
  const isMade = streamed !== undefined && settlement.outcome === 'answered';
  const paid = isMade ? '' : writePaid(settlement, textJson);
  const isAhead = unpaid === '' && replyTo !== undefined && takesStored(replyTo) && lock !== undefined;
  const sent =
    redis && isAhead && Buffer.isBuffer(paid) && paid.length >= LONG_SETTLEMENT
      ? prepare(redis, redisKeys.prepared(requestId, lock), paid)
      : paid;
  args.push(sent, unpaid, cost ?? 'look', freeFailuresPerHour ?? 0);
}

function pushStream(
  keys: string[],
  args: ScriptArgument[],
  number: number,
  { requestId, settle }: Ending,
  inboxes: readonly string[],
): void {
  if (settle?.streamed === undefined) return;
  keys.push(...keysOfStream(requestId));
  const { followers, kept = NOTHING_KEPT } = settle.streamed;
  const others = followers.filter((gateway) => gateway !== settle.replyTo);
  args.push(number, others.map((name) => inboxes.indexOf(name) + 1).join());
  args.push(...(settle.settlement.outcome === 'answered' ? writeRest(settle.settlement, kept) : NO_ANSWER));
}

const NO_ANSWER = ['', 0, '', '', 0, 0, '', '', 0] as const;

function readEnded(reply: EndedReply, ending: Ending | undefined): Ended | Error {
  if (isFailure(reply)) return new Error(reply[1]);
  const [kind, charge, json, job] = reply;
  const settle = ending?.settle;
  if (kind === 'incomplete') return new Error('the text of an answer is missing');
  return {
    job: job === '' ? 'kept' : job,
    ...(settle && kind !== '' && { settled: readResult(settle.settlement, [kind, charge, json]) }),
  };
}
