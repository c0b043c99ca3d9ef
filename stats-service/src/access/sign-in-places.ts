/** Sign-ins that are judged side by side, of one address and in all. */
export const MOST_SIGN_INS_PER_ADDRESS = 32;
const MOST = 64;

/**
 * Bounds the sign-ins that are in work: while Redis is slow, they must not pile up.
 *
 * @returns runs the work, or gives `undefined` at once where too many are in work
 */
export function createSignInPlaces() {
  const taken = new Map<string, number>();
  let all = 0;
  return async <Result>(address: string, work: () => Promise<Result>): Promise<Result | undefined> => {
    const ofAddress = taken.get(address) ?? 0;
    if (all >= MOST || ofAddress >= MOST_SIGN_INS_PER_ADDRESS) return undefined;
    taken.set(address, ofAddress + 1);
    all++;
    try {
      return await work();
    } finally {
      all--;
      const left = (taken.get(address) ?? 1) - 1;
      if (left > 0) taken.set(address, left);
      else taken.delete(address);
    }
  };
}
