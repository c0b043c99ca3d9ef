import type { Admission, AdmissionInput, AdmissionRules } from '../src/admission/admit.ts';

/** A key as the reference knows it. */
export interface ReferenceKey {
  readonly id: string;
  readonly hash: string;
  perHour?: number;
  perDay?: number;
  credits?: number;
  concurrency: number;
  models?: string;
  expiresAt?: number;
  /** 1 exempts it from the hour of addresses. */
  noAddressLimit?: number;
  onDisconnect?: 'finish';
  revoked: boolean;
}

/** What the reference gives for an admission, to be compared with what Redis gave. */
export type ReferenceOutcome = Pick<
  Admission,
  'decision' | 'noAddressLimit' | 'onDisconnect' | 'address' | 'hour' | 'day' | 'credits' | 'flight'
>;

const HOUR = 3600;
const DAY = 86_400;
const TEN_MINUTES = 600;

/**
 * Admission in plain words and plain arrays, slow and obvious: what the scripts have to agree with. For tests only.
 */
export class ReferenceAdmission {
  readonly #keys: Map<string, ReferenceKey>;
  readonly #rules: AdmissionRules;
  readonly #addressHits = new Map<string, number[]>();
  readonly #badKeys = new Map<string, number[]>();
  readonly #bans = new Map<string, { readonly till: number; readonly by: 'brute-force' | 'operator' }>();
  readonly #keyHits = new Map<string, number[]>();
  readonly #charged = new Map<string, number>();
  readonly #open = new Map<string, { readonly keyId: string; readonly endsAt: number }>();
  readonly #seen = new Set<string>();

  constructor(keys: readonly ReferenceKey[], rules: AdmissionRules) {
    this.#keys = new Map(keys.map((key) => [key.id, key]));
    this.#rules = rules;
  }

  /** @param second Unix seconds */
  admit(input: AdmissionInput, second: number): ReferenceOutcome {
    const key = this.#keys.get(input.key?.id ?? '');
    const exempt = input.mode !== 'look' &&
      isExempt(this.#provenKey(input), second) && { noAddressLimit: true as const };
    const before = key && this.#flightOf(key, second);
    const decision = this.#decide(input, second, before ?? 0);
    const hits = within(this.#addressHits, input.address, second, HOUR);
    const address = { used: hits.length, limit: this.#rules.perHour, resetAt: (hits[0] ?? second) + HOUR + 1 };
    const tellsUsage = TELLS_USAGE.has(decision) || (input.mode === 'foresee' && decision === 'counted');
    if (!key || !tellsUsage) return { decision, ...exempt, address, flight: { used: 0, limit: -1 } };
    const { hour, day } = this.#usageOf(key, second);
    const isNew = decision === 'admitted' && this.#newest === input.requestId;
    return {
      decision,
      ...exempt,
      ...(key.onDisconnect !== undefined && { onDisconnect: key.onDisconnect }),
      address,
      ...(key.perHour !== undefined && {
        hour: { used: hour.length, limit: key.perHour, resetAt: (hour[0] ?? second) + HOUR + 1 },
      }),
      ...(key.perDay !== undefined && {
        day: { used: day.length, limit: key.perDay, resetAt: (Math.floor(second / DAY) + 1) * DAY },
      }),
      ...(key.credits !== undefined && { credits: { used: this.charged(key.id), limit: key.credits } }),
      flight: { used: (before ?? 0) + (isNew ? 1 : 0), limit: key.concurrency },
    };
  }

  settle(requestId: string, refund: boolean): void {
    const open = this.#open.get(requestId);
    if (!open) return;
    this.#open.delete(requestId);
    if (refund) this.#charged.set(open.keyId, (this.#charged.get(open.keyId) ?? 0) - 1);
  }

  /** The operator blocks an address for good, or lifts whatever blocks it. */
  block(address: string, isBlocked: boolean): void {
    this.#badKeys.delete(address);
    if (isBlocked) this.#bans.set(address, { till: Number.POSITIVE_INFINITY, by: 'operator' });
    else this.#bans.delete(address);
  }

  isBanned(address: string, second: number): boolean {
    return (this.#bans.get(address)?.till ?? 0) > second;
  }

  charged(keyId: string): number {
    return this.#charged.get(keyId) ?? 0;
  }

  /** The request that was admitted last, and not by repetition. */
  #newest = '';

  #decide(input: AdmissionInput, second: number, flight: number): Admission['decision'] {
    this.#newest = '';
    if (input.mode === 'look') return 'counted';
    const repeated = input.mode === 'generate' && this.#seen.has(input.requestId);
    const key = this.#provenKey(input);
    const isCounted = !repeated && input.mode !== 'judge' && !isExempt(key, second);
    if (!repeated) {
      const isBanned = this.isBanned(input.address, second);
      if (isBanned && (!key || this.#bans.get(input.address)?.by === 'operator')) return 'address_blocked';
    }
    const hits = within(this.#addressHits, input.address, second, HOUR);
    if (isCounted && hits.length >= this.#rules.perHour) return 'address_limited';
    if (input.mode === 'foresee' && !input.key) return 'counted';
    const decision = this.#judge(input, key, second, flight, repeated);
    const mayGoOn = input.mode === 'foresee' && decision === 'counted';
    if (isCounted && !mayGoOn) within(this.#addressHits, input.address, second, HOUR).push(second);
    return decision;
  }

  #provenKey(input: AdmissionInput): ReferenceKey | undefined {
    const named = input.mode === 'bad-key' ? undefined : this.#keys.get(input.key?.id ?? '');
    return named?.hash === input.key?.hash ? named : undefined;
  }

  #judge(
    input: AdmissionInput,
    key: ReferenceKey | undefined,
    second: number,
    flight: number,
    repeated: boolean,
  ): Admission['decision'] {
    if (input.mode === 'count') return 'counted';
    if (!key) return this.#badKey(input, second);
    if (key.revoked) return 'key_not_active';
    if (key.expiresAt !== undefined && second * 1000 >= key.expiresAt) return 'key_not_active';
    if (input.mode === 'check' || input.mode === 'judge') return 'counted';
    const asksModel = input.mode === 'generate';
    if (asksModel && key.models !== undefined && !key.models.split(',').includes(input.model ?? ''))
      return 'key_not_active';
    if (repeated) return 'admitted';
    const refusal = this.#refusal(key, second, flight);
    if (refusal) return refusal;
    if (input.mode === 'foresee') return 'counted';
    this.#charge(key, input.requestId, second);
    return 'admitted';
  }

  #refusal(key: ReferenceKey, second: number, flight: number): Admission['decision'] | undefined {
    const { hour, day } = this.#usageOf(key, second);
    if (key.perHour !== undefined && hour.length >= key.perHour) return 'key_hour';
    if (key.perDay !== undefined && day.length >= key.perDay) return 'key_day';
    if (key.credits !== undefined && this.charged(key.id) >= key.credits) return 'credits';
    return flight >= key.concurrency ? 'concurrency' : undefined;
  }

  #charge(key: ReferenceKey, requestId: string, second: number): void {
    within(this.#keyHits, key.id, second, Number.POSITIVE_INFINITY).push(second);
    this.#charged.set(key.id, this.charged(key.id) + 1);
    this.#open.set(requestId, { keyId: key.id, endsAt: second * 1000 + this.#rules.reservationMs });
    this.#seen.add(requestId);
    this.#newest = requestId;
  }

  #usageOf(key: ReferenceKey, second: number): { readonly hour: number[]; readonly day: number[] } {
    const hits = within(this.#keyHits, key.id, second, Number.POSITIVE_INFINITY);
    return {
      hour: hits.filter((hit) => hit >= second - HOUR),
      day: hits.filter((hit) => Math.floor(hit / DAY) === Math.floor(second / DAY)),
    };
  }

  /** Those whose time is over are only looked for where they would make a difference. */
  #flightOf(key: ReferenceKey, second: number): number {
    const open = [...this.#open.values()].filter(({ keyId }) => keyId === key.id);
    return open.length < key.concurrency ? open.length : open.filter(({ endsAt }) => endsAt > second * 1000).length;
  }

  #badKey({ address, isCrossSite }: AdmissionInput, second: number): Admission['decision'] {
    if (this.#rules.banAfterBadKeys === 0 || isCrossSite) return 'unknown_key';
    const tries = within(this.#badKeys, address, second, TEN_MINUTES);
    tries.push(second);
    if (tries.length >= this.#rules.banAfterBadKeys) {
      this.#bans.set(address, { till: second + HOUR, by: 'brute-force' });
      this.#badKeys.delete(address);
    }
    return 'unknown_key';
  }
}

/** Decisions that are made when the key has been found good. */
const TELLS_USAGE: ReadonlySet<Admission['decision']> = new Set([
  'admitted',
  'key_hour',
  'key_day',
  'credits',
  'concurrency',
]);

/** Whether a key that was proven is exempt from the hour of addresses. */
function isExempt(key: ReferenceKey | undefined, second: number): boolean {
  if (key === undefined || key.revoked || key.noAddressLimit !== 1) return false;
  return key.expiresAt === undefined || second * 1000 < key.expiresAt;
}

/** The hits that still count; those that have left are dropped. A hit leaves a whole second late. */
function within(all: Map<string, number[]>, name: string, second: number, span: number): number[] {
  const live = (all.get(name) ?? []).filter((hit) => hit >= second - span);
  all.set(name, live);
  return live;
}
