import { WAITING_JOBS_KEY } from '@lontar/shared/generation-queue.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadBinaryScript, type RedisScript } from '@lontar/shared/redis-script.ts';
import { PackedReader } from './packed-reader.ts';

const admitScript = loadBinaryScript(new URL('./admit.lua', import.meta.url));

const SECONDS_PER_DAY = 86_400;
const MS_PER_DAY = SECONDS_PER_DAY * 1_000;

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

const INACTIVE_REASONS = ['revoked', 'expired', 'model', 'address'] as const;
type InactiveReason = (typeof INACTIVE_REASONS)[number];

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
  readonly reason: '' | InactiveReason;
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
  readonly mode: 'generate' | 'count' | 'bad-key' | 'check' | 'judge' | 'look';
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
  return readReply(reply as Buffer, rules);
}

/** Reads what admit.lua packed; the order of the fields is told there (`SHORT`, `LONG`). */
function readReply(reply: Buffer, rules: AdmissionRules): Admission {
  const fields = new PackedReader(reply);
  const hasTerms = fields.byte() === 1;
  const common = {
    genuineKey: fields.byte() === 1,
    now: fields.double(),
    address: { used: fields.uint32(), limit: rules.perHour, resetAt: fields.uint32() },
    flight: { used: fields.uint32(), limit: fields.double() },
  };
  const terms = hasTerms ? readTerms(fields, common.now) : undefined;
  const blockedForSeconds = hasTerms ? 0 : fields.int32();
  const decision = fields.text() as Exclude<Decision, 'key_not_active'> | InactiveReason;
  return {
    ...(isInactiveReason(decision) ? { decision: 'key_not_active', reason: decision } : { decision, reason: '' }),
    ...common,
    ...terms,
    blockedForSeconds,
  };
}

/** What the answer tells of a key with terms of its own. */
function readTerms(fields: PackedReader, now: number): Pick<Admission, 'hour' | 'day' | 'credits' | 'maxOutputTokens'> {
  const hour = { used: fields.uint32(), limit: fields.double(), resetAt: fields.uint32() };
  const day = { used: fields.uint32(), limit: fields.double(), resetAt: nextUtcDay(now) };
  const credits = { used: fields.double(), limit: fields.double() };
  const maxOutputTokens = fields.double();
  return {
    ...(hour.limit >= 0 && { hour }),
    ...(day.limit >= 0 && { day }),
    ...(credits.limit >= 0 && { credits }),
    ...(maxOutputTokens >= 0 && { maxOutputTokens }),
  };
}

function isInactiveReason(decision: Decision | InactiveReason): decision is InactiveReason {
  return (INACTIVE_REASONS as readonly string[]).includes(decision);
}

/** @returns Unix seconds */
function nextUtcDay(now: number): number {
  return (Math.floor(now / MS_PER_DAY) + 1) * SECONDS_PER_DAY;
}
