import type { AdmissionInput, AdmissionRules, Decision } from '../src/admission/admit.ts';

/** A key as the reference knows it. */
export interface ReferenceKey {
  readonly id: string;
  readonly hash: string;
  readonly perHour?: number;
  perDay?: number;
  readonly credits?: number;
  concurrency: number;
  readonly models?: string;
  readonly expiresAt?: number;
  revoked: boolean;
}

const HOUR = 3600;
const TEN_MINUTES = 600;

/**
 * Admission in plain words and plain arrays, slow and obvious: what admit.lua has to agree with. For tests only.
 */
export class ReferenceAdmission {
  readonly #keys: Map<string, ReferenceKey>;
  readonly #rules: AdmissionRules;
  readonly #addressHits = new Map<string, number[]>();
  readonly #badKeys = new Map<string, number[]>();
  readonly #bans = new Map<string, number>();
  readonly #keyHits = new Map<string, number[]>();
  readonly #charged = new Map<string, number>();
  readonly #open = new Map<string, { readonly keyId: string; readonly endsAt: number }>();
  readonly #seen = new Set<string>();

  constructor(keys: readonly ReferenceKey[], rules: AdmissionRules) {
    this.#keys = new Map(keys.map((key) => [key.id, key]));
    this.#rules = rules;
  }

  /** @param second Unix seconds */
  admit(input: AdmissionInput, second: number): Decision {
    const repeated = input.mode === 'generate' && this.#seen.has(input.requestId);
    if (!repeated) {
      if ((this.#bans.get(input.address) ?? 0) > second) return 'address_blocked';
      const hits = within(this.#addressHits, input.address, second, HOUR);
      if (hits.length >= this.#rules.perHour) return 'address_limited';
      hits.push(second);
    }
    if (input.mode === 'bad-key') return this.#badKey(input.address, second);
    if (input.mode === 'count') return 'counted';
    const key = this.#keys.get(input.key?.id ?? '');
    if (!key || key.hash !== input.key?.hash) return this.#badKey(input.address, second);
    if (key.revoked) return 'key_not_active';
    if (key.expiresAt !== undefined && second * 1000 >= key.expiresAt) return 'key_not_active';
    if (key.models !== undefined && !key.models.split(',').includes(input.model ?? '')) return 'key_not_active';
    return repeated ? 'admitted' : this.#charge(key, input.requestId, second);
  }

  settle(requestId: string, refund: boolean): void {
    const open = this.#open.get(requestId);
    if (!open) return;
    this.#open.delete(requestId);
    if (refund) this.#charged.set(open.keyId, (this.#charged.get(open.keyId) ?? 0) - 1);
  }

  charged(keyId: string): number {
    return this.#charged.get(keyId) ?? 0;
  }

  #charge(key: ReferenceKey, requestId: string, second: number): Decision {
    const hits = within(this.#keyHits, key.id, second, Number.POSITIVE_INFINITY);
    const hour = hits.filter((hit) => hit >= second - HOUR).length;
    const day = hits.filter((hit) => Math.floor(hit / 86_400) === Math.floor(second / 86_400)).length;
    const flight = [...this.#open.values()].filter(
      (open) => open.keyId === key.id && open.endsAt > second * 1000,
    ).length;
    if (key.perHour !== undefined && hour >= key.perHour) return 'key_hour';
    if (key.perDay !== undefined && day >= key.perDay) return 'key_day';
    if (key.credits !== undefined && this.charged(key.id) >= key.credits) return 'credits';
    if (flight >= key.concurrency) return 'concurrency';
    hits.push(second);
    this.#charged.set(key.id, this.charged(key.id) + 1);
    this.#open.set(requestId, { keyId: key.id, endsAt: second * 1000 + this.#rules.reservationMs });
    this.#seen.add(requestId);
    return 'admitted';
  }

  #badKey(address: string, second: number): Decision {
    if (this.#rules.banAfterBadKeys === 0) return 'unknown_key';
    const tries = within(this.#badKeys, address, second, TEN_MINUTES);
    tries.push(second);
    if (tries.length >= this.#rules.banAfterBadKeys) {
      this.#bans.set(address, second + HOUR);
      this.#badKeys.delete(address);
    }
    return 'unknown_key';
  }
}

/** The hits that still count; those that have left are dropped. A hit leaves a whole second late. */
function within(all: Map<string, number[]>, name: string, second: number, span: number): number[] {
  const live = (all.get(name) ?? []).filter((hit) => hit >= second - span);
  all.set(name, live);
  return live;
}
