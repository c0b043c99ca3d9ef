import { randomSource } from './random-source.ts';

/**
 * Secrets that protect nothing: they are made of a seed at run time, and their addresses lie in the ranges and names
 * that RFC 5737, RFC 3849 and RFC 2606 keep free for documentation.
 */
export interface DemoSecrets {
  readonly apiUrl: string;
  readonly ipv4: string;
  readonly ipv6: string;
  readonly apiKey: string;
  readonly cloudKey: string;
  readonly bearerToken: string;
  readonly connection: string;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const SHOPS = ['toko-contoh', 'warung-demo', 'kopi-contoh', 'demo-store'];
const DOCUMENTATION_NETWORKS = ['192.0.2', '198.51.100', '203.0.113'];

/** The same seed gives the same secrets. */
export function demoSecrets(seed: string): DemoSecrets {
  const source = randomSource(seed);
  const word = (length: number, alphabet: string) =>
    Array.from({ length }, () => alphabet[source(alphabet.length)]).join('');
  const pick = (list: readonly string[]) => list[source(list.length)] ?? '';
  const shop = pick(SHOPS);
  const mixed = LOWER + UPPER + DIGITS;
  const jsonPart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return {
    apiUrl: `https://api.${shop}.example/v1/orders`,
    ipv4: `${pick(DOCUMENTATION_NETWORKS)}.${1 + source(254)}`,
    ipv6: `2001:db8:${word(4, '123456789abcdef')}::${word(3, '123456789abcdef')}`,
    apiKey: `sk-${word(48, mixed)}`,
    cloudKey: `AKIA${word(16, `${UPPER}234567`)}`,
    bearerToken: [
      jsonPart({ alg: 'HS256', typ: 'JWT' }),
      jsonPart({ sub: shop, demo: true, jti: word(12, mixed) }),
      word(43, mixed),
    ].join('.'),
    connection: `postgres://${shop.replace('-', '_')}:${word(20, mixed)}@db.${shop}.example:5432/shop`,
  };
}
