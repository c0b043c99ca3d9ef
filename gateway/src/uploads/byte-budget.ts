import type { UploadConfig } from './upload-settings.ts';

/** Bytes that are in hand together. */
export interface ByteBudget {
  /** @returns what gives them back, once; `undefined` where there is no room for them now */
  take(owner: string, bytes: number): (() => void) | undefined;
}

/**
 * Bounds bytes that are in hand at once, of all and of each owner. It knows only owners that have some in hand.
 *
 * @param most of all together
 * @param mostOfOne of one owner, so that no owner takes the room of all
 */
export function createByteBudget(most: number, mostOfOne: number): ByteBudget {
  const owned = new Map<string, number>();
  let all = 0;
  return {
    take(owner, bytes) {
      const own = owned.get(owner) ?? 0;
      if (all + bytes > most || own + bytes > mostOfOne) return undefined;
      all += bytes;
      owned.set(owner, own + bytes);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        all -= bytes;
        const left = (owned.get(owner) ?? 0) - bytes;
        if (left > 0) owned.set(owner, left);
        else owned.delete(owner);
      };
    },
  };
}

/** Contents on their way through a gateway's disk, bytes; deploy/kubernetes gives its spool somewhat more. */
const SPOOLED_BYTES = 805_306_368;
/** Of them for one API key. */
const SPOOLED_SHARE = 0.75;
/** Bodies that are held whole because they hold the key; and of one address. */
const SHORT_BODIES_BYTES = 16_777_216;
const SHORT_BODIES_OF_ONE_BYTES = 2_097_152;

/** The budgets of uploads of one gateway. */
export function uploadBudgets({ MAX_FILE_BYTES }: Pick<UploadConfig, 'MAX_FILE_BYTES'>) {
  return {
    // A file of the largest size fits, whatever the operator allows.
    spooled: createByteBudget(
      Math.max(SPOOLED_BYTES, 2 * MAX_FILE_BYTES),
      Math.max(SPOOLED_SHARE * SPOOLED_BYTES, MAX_FILE_BYTES),
    ),
    shortBodies: createByteBudget(SHORT_BODIES_BYTES, SHORT_BODIES_OF_ONE_BYTES),
  };
}
