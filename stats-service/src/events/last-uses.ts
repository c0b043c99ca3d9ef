/** Keys that are remembered; beyond, all are written once more. */
const MOST_KEYS = 100_000;

/** Which last uses of keys this process has written, so that a key is written once a minute, not with each batch. */
export interface LastUses {
  /** @param minute Unix minutes, as text */
  isLater(keyId: string, minute: string): boolean;
  /** Notes what has been written. */
  note(uses: readonly (readonly [keyId: string, minute: string])[]): void;
}

export function rememberLastUses(): LastUses {
  const minutes = new Map<string, number>();
  return {
    isLater: (keyId, minute) => Number(minute) > (minutes.get(keyId) ?? 0),
    note(uses) {
      if (minutes.size + uses.length > MOST_KEYS) minutes.clear();
      for (const [keyId, minute] of uses) minutes.set(keyId, Number(minute));
    },
  };
}
