import { GENERATION_JOB, type JobToAdmit } from '@lontar/shared/generation-job.ts';
import { JOB_OPTIONS, queueKeys } from '@lontar/shared/queue/queue-keys.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadBinaryScript, type RedisScript } from '@lontar/shared/redis-script.ts';
import { PackedReader } from './packed-reader.ts';

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
  /** The key is exempt from the hour of addresses: neither does it refuse this request, nor count it. */
  readonly noAddressLimit?: true;
  /** The request's job goes on when its caller has left; known where the key's limits were asked about. */
  readonly onDisconnect?: 'finish';
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
  /**
   * What is asked; each has the contract in its script.
   * - `generate` counts the address, judges the key, reserves, and enqueues `job` (admit.lua)
   * - `foresee` judges as `generate` would for any model, and counts only what is refused (foresee.lua)
   * - `check` counts the address and judges the key, which it charges nothing (check-key.lua)
   * - `bad-key` does the same of a key that needs no look-up (check-key.lua)
   * - `judge` judges the key alone, for paths outside `/api/`, which no hour counts (judge-key.lua)
   * - `count` counts the address, and says whether the key is genuine (count-request.lua)
   * - `look` gives the hour of the address (look-at-address.lua)
   */
  readonly mode: 'generate' | 'count' | 'bad-key' | 'check' | 'judge' | 'foresee' | 'look';
  readonly requestId: string;
  /** The form that limits are counted by, see `limitAddress`. */
  readonly address: string;
  /** The caller's address as bits, see `addressBits`. */
  readonly addressBits: string;
  readonly key?: { readonly id: string; readonly hash: string };
  readonly model?: string;
  /** The job that `generate` enqueues where it admits; of no interest to the other modes. */
  readonly job?: JobToAdmit;
  /** A page of another site made the request: a bad key is then not counted against the address of who opened it. */
  readonly isCrossSite?: boolean;
}

/** What includes/answer-layouts.lua says of the key in one byte. */
const KEY_FLAGS = { genuine: 1, noAddressLimit: 2, finishes: 4 } as const;

/** The script of each mode, and how many of the keys and arguments of includes/input.lua it takes. */
const SCRIPTS = {
  generate: { file: 'admit.lua', keys: 13, args: 14 },
  foresee: { file: 'foresee.lua', keys: 8, args: 6 },
  check: { file: 'check-key.lua', keys: 5, args: 5 },
  'bad-key': { file: 'check-key.lua', keys: 5, args: 5 },
  judge: { file: 'judge-key.lua', keys: 5, args: 5 },
  count: { file: 'count-request.lua', keys: 4, args: 3 },
  look: { file: 'look-at-address.lua', keys: 1, args: 0 },
} as const satisfies Record<AdmissionInput['mode'], { file: string; keys: number; args: number }>;

export type AdmissionScripts = Readonly<Record<AdmissionInput['mode'], RedisScript>>;

/**
 * Loads the scripts of admission.
 *
 * @param load another loader only where a test sets the clock
 * @throws Error where a file cannot be read
 */
export function loadAdmission(load: (file: URL) => RedisScript): AdmissionScripts {
  const loaded = new Map<string, RedisScript>();
  for (const { file } of Object.values(SCRIPTS)) loaded.set(file, load(new URL(`./${file}`, import.meta.url)));
  return Object.fromEntries(
    Object.entries(SCRIPTS).map(([mode, { file }]) => [mode, loaded.get(file)]),
  ) as AdmissionScripts;
}

const admissionScripts = loadAdmission(loadBinaryScript);

/**
 * Asks for admission: one atomic script, one round trip. See the script of each mode for what is counted when.
 *
 * @param scripts others than those of this folder only where a test sets the clock
 * @throws TypeError where `generate` comes without a job; otherwise when Redis cannot be reached or refuses the write: a
 *   reservation and its job may then exist all the same
 */
export async function admit(
  redis: Redis,
  rules: AdmissionRules,
  input: AdmissionInput,
  scripts: AdmissionScripts = admissionScripts,
): Promise<Admission> {
  if (input.mode === 'generate' && input.job === undefined) throw new TypeError('There is no job to admit.');
  const keyId = input.key?.id ?? '';
  const keys = [
    redisKeys.addressHour(input.address),
    redisKeys.addressBan(input.address),
    redisKeys.blockedAddresses,
    redisKeys.apiKey(keyId),
    redisKeys.addressBadKeys(input.address),
    redisKeys.keyHour(keyId),
    redisKeys.keyFlight(keyId),
    queueKeys.waiting,
    redisKeys.request(input.requestId),
    redisKeys.keysInFlight,
    queueKeys.job(input.requestId),
    queueKeys.marker,
    queueKeys.meta,
  ];
  const args = [
    input.address,
    rules.perHour,
    input.mode === 'bad-key' ? '' : (input.key?.hash ?? ''),
    input.isCrossSite ? 0 : rules.banAfterBadKeys,
    input.addressBits,
    rules.maxWaiting,
    input.model ?? '',
    input.requestId,
    rules.reservationMs,
    keyId,
    input.job?.beginning ?? '',
    input.job?.maxOutputTokens ?? 0,
    GENERATION_JOB.name,
    JOB_OPTIONS,
  ];
  const takes = SCRIPTS[input.mode];
  const reply = await scripts[input.mode](redis, keys.slice(0, takes.keys), args.slice(0, takes.args));
  return readAnswer(reply as Buffer, rules.perHour);
}

/**
 * Reads what the scripts of admission packed; the order of the fields is in includes/answer-layouts.lua.
 *
 * @param perHour requests that the address may make in an hour
 * @throws RangeError where the fields are not those of the layout
 */
export function readAnswer(reply: Buffer, perHour: number): Admission {
  const fields = new PackedReader(reply);
  const hasTerms = fields.byte() === 1;
  const key = fields.byte();
  const common = {
    genuineKey: (key & KEY_FLAGS.genuine) !== 0,
    ...((key & KEY_FLAGS.noAddressLimit) !== 0 && { noAddressLimit: true as const }),
    ...((key & KEY_FLAGS.finishes) !== 0 && { onDisconnect: 'finish' as const }),
    now: fields.double(),
    address: { used: fields.uint32(), limit: perHour, resetAt: fields.uint32() },
    flight: { used: fields.uint32(), limit: fields.double() },
  };
  const terms = hasTerms ? readTerms(fields, common.now) : undefined;
  const blockedForSeconds = hasTerms ? 0 : fields.int32();
  const decision = fields.text() as Exclude<Decision, 'key_not_active'> | InactiveReason;
  fields.end();
  return {
    ...(isInactiveReason(decision) ? { decision: 'key_not_active', reason: decision } : { decision, reason: '' }),
    ...common,
    ...terms,
    blockedForSeconds,
  };
}

/** What the answer holds of a key with terms of its own. */
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
