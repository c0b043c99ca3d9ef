import type { IncomingHttpHeaders } from 'node:http';
import { errorBody, type HttpAnswer } from '@lontar/shared/http/envelope.ts';
import { INNER_REFUSAL_HEADER, INNER_SECRET_HEADER } from '@lontar/shared/inner-headers.ts';
import { sameSecret } from '@lontar/shared/same-secret.ts';

/** Who asks: a gateway for one of its callers, Prometheus for itself, or a client that has no business here. */
export type Asker = 'gateway' | 'monitoring' | 'stranger';

/**
 * Who asks, by `INNER_SECRET`. A gateway sends it in a header of its own, beside the caller's; Prometheus as
 * `Authorization: Bearer`, which is what it can send. No other client may name a caller's address, or see the inner
 * paths.
 */
export function askerOf(headers: IncomingHttpHeaders, secret: string): Asker {
  const proof = headers[INNER_SECRET_HEADER];
  if (proof !== undefined) return sameSecret(String(proof), secret) ? 'gateway' : 'stranger';
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  return bearer !== undefined && sameSecret(bearer, secret) ? 'monitoring' : 'stranger';
}

const MESSAGE =
  'stats-service answers only its gateways and Prometheus, which prove themselves by INNER_SECRET. ' +
  'Callers ask the gateway. Operators: give the gateway and stats-service the same INNER_SECRET.';

/** The answer for clients without the secret. */
export function refuseStranger(): HttpAnswer {
  return {
    status: 403,
    headers: { [INNER_REFUSAL_HEADER]: 'secret', connection: 'close' },
    body: errorBody(403, 'Forbidden', MESSAGE),
  };
}
