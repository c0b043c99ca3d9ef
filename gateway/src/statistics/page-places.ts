import type { ServerResponse } from 'node:http';

/** Requests for the dashboard's pages in work, of one address and in all; a browser makes six at once. */
const MOST_PER_ADDRESS = 32;
const MOST = 256;

/**
 * Bounds the requests for pages that are in work: readers who take their time must not hold all connections to
 * stats-service.
 */
export function createPagePlaces() {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    /** @returns false where there is no place; one that is taken is free again when the response closes */
    take(address: string, response: ServerResponse): boolean {
      const ofAddress = taken.get(address) ?? 0;
      if (all >= MOST || ofAddress >= MOST_PER_ADDRESS) return false;
      // Who has left already does not leave again, and would keep the place for ever.
      if (response.destroyed) return false;
      taken.set(address, ofAddress + 1);
      all++;
      response.once('close', () => {
        all--;
        const left = (taken.get(address) ?? 1) - 1;
        if (left > 0) taken.set(address, left);
        else taken.delete(address);
      });
      return true;
    },
  };
}
