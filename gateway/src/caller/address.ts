import { addressBits, limitAddress } from '@lontar/shared/address.ts';
import type { RequestContext } from '../envelope/request-context.ts';

/**
 * A caller's address in the forms that limits and keys are judged by.
 *
 * @param text as the socket or a trusted proxy gives it; some proxies append the caller's port
 */
export function readAddress(text: string): Pick<RequestContext, 'address' | 'addressBits'> {
  const address = withoutPort(text);
  return { address: limitAddress(address), addressBits: addressBits(address) ?? '' };
}

function withoutPort(address: string): string {
  const [, inBrackets, ipv4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? [];
  return inBrackets ?? ipv4 ?? address;
}
