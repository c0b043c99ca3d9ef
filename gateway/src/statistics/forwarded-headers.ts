import type { ClientRequest, IncomingMessage } from 'node:http';
import { CLIENT_ADDRESS_HEADER, INNER_SECRET_HEADER, OPERATOR_ONLY_HEADER } from '@lontar/shared/inner-headers.ts';
import type { RequestContext } from '../envelope/request-context.ts';

/** What decides about the headers of a request that is handed on. */
interface Passed {
  readonly context: Pick<RequestContext, 'id' | 'address'>;
  readonly protocol: string;
  readonly forOperator?: boolean;
  readonly forAdmin?: boolean;
}

/** Headers of a caller that stats-service gets to see; everything else stays here, keys above all. */
const FORWARDED_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-type',
  'cookie',
  'host',
  'if-none-match',
  'last-event-id',
  'origin',
  'purpose',
  'sec-fetch-site',
  'sec-purpose',
  'user-agent',
]);

/** What the admin API reads besides. */
const ADMIN_HEADERS = ['authorization', 'if-match', 'idempotency-key'] as const;

/** Sets the headers of a request to stats-service: of the caller's those that it may see, and what the gateway knows. */
export function chooseHeaders(
  proxyRequest: ClientRequest,
  request: IncomingMessage,
  { context, protocol, forOperator, forAdmin }: Passed,
  { secret }: { readonly secret: string },
): void {
  for (const name of proxyRequest.getHeaderNames()) {
    if (!FORWARDED_HEADERS.has(name.toLowerCase())) proxyRequest.removeHeader(name);
  }
  proxyRequest.setHeader(INNER_SECRET_HEADER, secret);
  proxyRequest.setHeader(CLIENT_ADDRESS_HEADER, context.address);
  proxyRequest.setHeader('X-Request-Id', context.id);
  proxyRequest.setHeader('X-Forwarded-Proto', protocol);
  if (forOperator) {
    proxyRequest.setHeader(OPERATOR_ONLY_HEADER, 'yes');
    if (request.headers.authorization) proxyRequest.setHeader('Authorization', request.headers.authorization);
  }
  if (!forAdmin) return;
  for (const name of ADMIN_HEADERS) {
    const value = request.headers[name];
    if (value !== undefined) proxyRequest.setHeader(name, value);
  }
}
