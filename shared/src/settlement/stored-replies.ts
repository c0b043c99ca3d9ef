import { TAKES_NUMBERS } from '../live/numbered-frames.ts';

/**
 * What the instance ids of gateways end with that take replies which only name a stored settlement, and numbered frames. The
 * reply to an older one has the settlement.
 */
export const TAKES_STORED = `.s${TAKES_NUMBERS}`;

/** Whether a gateway reads settlements where they are stored when its inbox names them. */
export function takesStored(gateway: string): boolean {
  return gateway.endsWith(TAKES_STORED);
}
