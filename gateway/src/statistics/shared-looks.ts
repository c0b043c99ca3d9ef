import { within } from '@lontar/shared/within.ts';
import { type Admission, admit } from '../admission/admit.ts';
import type { CountDeps } from '../admission/check-key.ts';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import type { RequestContext } from '../envelope/request-context.ts';

/** What was seen of an address is given for this long, ms. */
const FRESH_MS = 1_000;
/** Looks in a second, and with that addresses that are remembered. */
const MOST_LOOKS = 200;
/** How long a request that is not counted waits for its rate-limit headers, ms. */
const PATIENCE_MS = 150;

/** Gives the limits of addresses whose requests no limit counts: by at most one look at Redis a second for each. */
export interface SharedLooks {
  /**
   * Gives the rate-limit headers of a request that no limit counts or refuses. Where Redis does not answer at once, or
   * very many addresses ask, there are none: the request may be there to report that. Never rejects.
   */
  look(context: RequestContext): Promise<Readonly<Record<string, string>>>;
  /** Whether there is nothing to forget. */
  isEmpty(): boolean;
  /** The address makes a request that counts: what was seen of it is no longer so. */
  forget(address: string): void;
}

/**
 * Looks that the requests of one address share for a second.
 * Never throws, and its looks never reject: where Redis fails there are no headers.
 */
export function shareLooks({ redis, rules, onRedisFailure }: CountDeps): SharedLooks {
  /** By address, the oldest first. */
  const seen = new Map<string, { readonly at: number; readonly admission: Promise<Admission | undefined> }>();
  const lookUp = ({ id, address, addressBits }: RequestContext, now: number) => {
    for (const [old, { at }] of seen) {
      if (now - at < FRESH_MS) break;
      seen.delete(old);
    }
    const known = seen.get(address);
    if (known !== undefined) return known.admission;
    if (seen.size >= MOST_LOOKS) return undefined;
    const admission = admit(redis, rules, { mode: 'look', requestId: id, address, addressBits }).catch(
      (error: unknown): undefined => onRedisFailure(error) as undefined,
    );
    seen.set(address, { at: now, admission });
    return admission;
  };
  return {
    async look(context) {
      const seeing = lookUp(context, performance.now());
      const admission = seeing && (await within(PATIENCE_MS, seeing));
      return admission ? rateLimitHeaders(admission) : {};
    },
    isEmpty: () => seen.size === 0,
    forget: (address) => void seen.delete(address),
  };
}
