import { isIP } from 'node:net';

/**
 * The address that limits are counted by: IPv4 as it is, IPv6 as its /56 (what one customer of a provider has), IPv4
 * in IPv6 form as IPv4.
 *
 * @returns for example `203.0.113.9` or `2001:db8:0:1100::/56`; `unknown` for what is no address
 */
export function limitAddress(address: string): string {
  const groups = parseAddress(address);
  if (groups === undefined) return 'unknown';
  if (groups.length === 4) return groups.join('.');
  const network = [groups[0], groups[1], groups[2], (groups[3] ?? 0) & 0xff00].map((group) =>
    (group ?? 0).toString(16),
  );
  return `${network.join(':')}::/56`;
}

/**
 * An address or network as text of bits, so that "is in the network" is "starts with": `4:` or `6:`, then the bits.
 *
 * @returns `undefined` for what is neither an address nor a network in CIDR form
 */
export function addressBits(text: string): string | undefined {
  const [address = '', length, rest] = text.split('/');
  const groups = parseAddress(address);
  if (groups === undefined || rest !== undefined) return undefined;
  const [version, width] = groups.length === 4 ? ['4', 8] : ['6', 16];
  const bits = groups.map((group) => group.toString(2).padStart(width, '0')).join('');
  if (length === undefined) return `${version}:${bits}`;
  if (!/^\d{1,3}$/.test(length) || Number(length) > bits.length) return undefined;
  return `${version}:${bits.slice(0, Number(length))}`;
}

/** Four groups of 8 bits, or eight of 16; IPv4 in IPv6 form gives four. */
function parseAddress(text: string): number[] | undefined {
  const zone = text.indexOf('%');
  const address = zone < 0 ? text : text.slice(0, zone);
  const version = isIP(address);
  if (version === 4) return address.split('.').map(Number);
  if (version !== 6) return undefined;
  const groups = expandIpv6(address);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!mapped) return groups;
  return groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]);
}

function expandIpv6(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const left = ipv6Groups(head);
  if (tail === undefined) return left;
  const right = ipv6Groups(tail);
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

function ipv6Groups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
