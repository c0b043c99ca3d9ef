import { WAITING_JOBS_KEY } from '@lontar/shared/generation-queue.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript, type RedisScript } from '@lontar/shared/redis-script.ts';

const admitScript = loadScript(new URL('./admit.lua', import.meta.url));

export type Decision =
  | 'admitted'
  | 'counted'
  | 'address_blocked'
  | 'address_limited'
  | 'unknown_key'
  | 'key_not_active'
  | 'queue_full'
  | 'key_hour'
  | 'key_day'
  | 'credits'
  | 'concurrency';

/** A limit as it stands after the decision. */
export interface LimitState {
  readonly used: number;
  readonly limit: number;
  /** When it next grows, Unix seconds. */
  readonly resetAt: number;
}

export interface Admission {
  readonly decision: Decision;
  /** Of `key_not_active`: why. */
  readonly reason: '' | 'revoked' | 'expired' | 'model' | 'address';
  /** Whether the caller's key exists and was proven. */
  readonly genuineKey: boolean;
  /** Redis time of the decision, Unix ms. */
  readonly now: number;
  readonly address: LimitState;
  readonly hour?: LimitState;
  readonly day?: LimitState;
  /** Credits have no reset: only the operator adds some. */
  readonly credits?: { readonly used: number; readonly limit: number };
  readonly flight: { readonly used: number; readonly limit: number };
  /** The key's cap on output tokens. */
  readonly maxOutputTokens?: number;
  /** Of `address_blocked`: seconds until the block ends; -1 when only the operator ends it. */
  readonly blockedForSeconds: number;
}

/** What the limits are, from configuration. */
export interface AdmissionRules {
  readonly perHour: number;
  readonly banAfterBadKeys: number;
  readonly maxWaiting: number;
  /** How long a reservation lasts at most, ms: the request timeout and some grace. */
  readonly reservationMs: number;
}

export interface AdmissionInput {
  readonly mode: 'generate' | 'count' | 'bad-key' | 'check' | 'judge';
  readonly requestId: string;
  /** The form that limits are counted by, see `limitAddress`. */
  readonly address: string;
  /** The caller's address as bits, see `addressBits`. */
  readonly addressBits: string;
  readonly key?: { readonly id: string; readonly hash: string };
  readonly model?: string;
}

/**
 * Asks for admission: one atomic script, one round trip. See admit.lua for what is counted when.
 *
 * @param script another one than admit.lua only where a test sets the clock
 * @throws when Redis cannot be reached or refuses the write; a reservation may then exist, and the sweeper gives it back
 */
export async function admit(
  redis: Redis,
  rules: AdmissionRules,
  input: AdmissionInput,
  script: RedisScript = admitScript,
): Promise<Admission> {
  const keyId = input.key?.id ?? '';
  const keys = [
    redisKeys.addressHour(input.address),
    redisKeys.addressBadKeys(input.address),
    redisKeys.addressBan(input.address),
    redisKeys.blockedAddresses,
    redisKeys.apiKey(keyId),
    redisKeys.keyHour(keyId),
    redisKeys.keyFlight(keyId),
    redisKeys.request(input.requestId),
    redisKeys.keysInFlight,
    WAITING_JOBS_KEY,
  ];
  const reply = await script(redis, keys, [
    input.mode,
    input.address,
    rules.perHour,
    rules.banAfterBadKeys,
    input.requestId,
    input.key?.hash ?? '',
    input.model ?? '',
    input.addressBits,
    rules.reservationMs,
    rules.maxWaiting,
    keyId,
  ]);
  return readReply(reply as ScriptAnswer, rules);
}

type ScriptAnswer = [Decision, Admission['reason'], number, number, ...number[]];

function readReply([decision, reason, genuine, now, ...numbers]: ScriptAnswer, rules: AdmissionRules): Admission {
  const at = (index: number) => numbers[index] ?? 0;
  return {
    decision,
    reason,
    genuineKey: genuine === 1,
    now,
    address: { used: at(0), limit: rules.perHour, resetAt: at(1) },
    ...(at(3) >= 0 && { hour: { used: at(2), limit: at(3), resetAt: at(4) } }),
    ...(at(6) >= 0 && { day: { used: at(5), limit: at(6), resetAt: at(7) } }),
    ...(at(9) >= 0 && { credits: { used: at(8), limit: at(9) } }),
    flight: { used: at(10), limit: at(11) },
    ...(at(12) >= 0 && { maxOutputTokens: at(12) }),
    blockedForSeconds: at(13),
  };
}
