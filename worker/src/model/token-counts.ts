import type { TokenUsage } from '@lontar/shared/settlement/settlement.ts';

/** Whether an upstream's word is a count of tokens. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** What an upstream says of parts of its counts; absent where it says nothing, or no count. */
export function partsOf(said: {
  readonly cachedInput: unknown;
  readonly reasoning: unknown;
}): Pick<TokenUsage, 'cachedInput' | 'reasoning'> {
  const { cachedInput, reasoning } = said;
  return { ...(isCount(cachedInput) && { cachedInput }), ...(isCount(reasoning) && { reasoning }) };
}
