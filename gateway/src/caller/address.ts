import { addressBits, limitAddress } from '@lontar/shared/address.ts';
import type { RequestContext } from '../envelope/request-context.ts';

type AddressForms = Pick<RequestContext, 'address' | 'addressBits'>;

/** Addresses whose forms are remembered: callers come again, most of them over the same connection. */
const MOST_REMEMBERED = 1_000;
/** IPv6 with a zone and a port, characters. */
const LONGEST_REMEMBERED = 80;
const remembered = new Map<string, AddressForms>();

/**
 * A caller's address in the forms that limits and keys are judged by.
 *
 * @param text as the socket or a trusted proxy gives it; some proxies append the caller's port
 */
export function readAddress(text: string): AddressForms {
  const known = remembered.get(text);
  if (known) return known;
  const address = withoutPort(text);
  const forms = { address: limitAddress(address), addressBits: addressBits(address) ?? '' };
  // A proxy may hand on whatever it was given.
  if (text.length > LONGEST_REMEMBERED) return forms;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(text, forms);
  return forms;
}

function withoutPort(address: string): string {
  const [, inBrackets, ipv4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? [];
  return inBrackets ?? ipv4 ?? address;
}
