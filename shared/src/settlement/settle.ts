import { ERROR_CATALOG } from '../errors.ts';
import { GENERATION_JOB } from '../generation-job.ts';
import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { loadScript } from '../redis-script.ts';
import { type Settlement, settlementSchema } from './settlement.ts';

const settleScript = loadScript(new URL('./settle.lua', import.meta.url));
const rejoinScript = loadScript(new URL('./rejoin.lua', import.meta.url));

/** About how many replies an inbox holds at most; a gateway that falls behind finds the rest as stored results. */
export const INBOX_LENGTH = 20_000;

export interface SettleInput {
  readonly requestId: string;
  readonly keyId: string;
  readonly settlement: Settlement;
  /** The job's start that settles, from 1; absent for a gateway or the sweeper, which no retry can overtake. */
  readonly attempt?: number;
  /** Gateway instance to send the reply to; absent when the caller is that gateway itself. */
  readonly replyTo?: string;
  /** Tell workers to stop working on the request. */
  readonly cancel?: boolean;
  /** The caller has been told that the request failed: where it was charged all the same, the charge is given back. */
  readonly takeBack?: boolean;
}

export type SettleResult =
  | { readonly kind: 'settled' }
  | { readonly kind: 'already'; readonly settlement: Settlement }
  | { readonly kind: 'fenced' }
  | { readonly kind: 'gone' };

/**
 * Settles a request, once: stores the outcome, charges or refunds the key, frees its place among the requests in
 * flight, and replies. See settle.lua for the contract. Safe to repeat.
 *
 * @throws when Redis cannot be reached or refuses the write; whether the request was settled is then unknown
 */
export async function settle(redis: Redis, input: SettleInput): Promise<SettleResult> {
  const keys = [
    redisKeys.request(input.requestId),
    redisKeys.keyFlight(input.keyId),
    redisKeys.apiKey(input.keyId),
    redisKeys.inbox(input.replyTo ?? ''),
  ];
  const reply = (await settleScript(redis, keys, [
    input.requestId,
    isCharged(input.settlement) ? 'charge' : 'refund',
    JSON.stringify(input.settlement),
    GENERATION_JOB.resultTtlMs,
    input.attempt ?? 0,
    input.replyTo === undefined ? 0 : INBOX_LENGTH,
    input.cancel ? redisKeys.cancellations : '',
    input.takeBack ? 1 : 0,
  ])) as ['settled' | 'fenced' | 'gone'] | ['already', string];
  if (reply[0] === 'already') return { kind: 'already', settlement: settlementSchema.parse(JSON.parse(reply[1])) };
  return { kind: reply[0] };
}

/** Whether the key pays: for answers, and for prompts that the model's safety filter refused; never for our failures. */
export function isCharged(settlement: Settlement): boolean {
  return settlement.outcome === 'answered' || !ERROR_CATALOG[settlement.error].refunds;
}

/**
 * Asks whether a job that is started again may go on; sends the reply again where it was settled. See rejoin.lua.
 *
 * @param start number of this start, from 2
 */
export async function rejoin(
  redis: Redis,
  input: { requestId: string; keyId: string; replyTo: string; start: number },
): Promise<'run' | 'settled' | 'gone'> {
  const keys = [redisKeys.request(input.requestId), redisKeys.keyFlight(input.keyId), redisKeys.inbox(input.replyTo)];
  return (await rejoinScript(redis, keys, [input.requestId, input.start, INBOX_LENGTH])) as 'run' | 'settled' | 'gone';
}

/** The stored outcome of a request, or `undefined` while it is unsettled or no longer kept. */
export async function readSettlement(redis: Redis, requestId: string): Promise<Settlement | undefined> {
  const stored = await redis.hget(redisKeys.request(requestId), 'result');
  return stored === null ? undefined : settlementSchema.parse(JSON.parse(stored));
}
