import type { TextWindow } from './text-window.ts';

/** How far back a word may stand that says what a dotted number is. */
const REACH = 64;

const VERSION_WORDS = new Set(
  `version versions versi ver v vers section sections sec chapter chapters clause clauses bab pasal ayat klausul bagian subbab butir
  poin oid oids build builds release releases released rilis revision rev firmware driver drivers patch hotfix update upgrade upgraded
  table tabel figure gambar fig appendix lampiran paragraph annex article artikel item items sdk jdk jre api-level semver kernel
  step langkah rule aturan requirement chrome chromium safari webkit mozilla oracle rp idr usd rupiah versioning tag nomor no halaman`.split(
    /\s+/,
  ),
);
const ADDRESS_WORDS = new Set(
  `ip ips ipv4 ipv6 address addresses addr alamat host hosts server servers peladen node nodes gateway router resolver dns nameserver
  subnet netmask network jaringan interface port listen listens listening bind binds bound ping ssh telnet curl client peer connect
  connects connected loopback localhost proxy from dari via cidr src dst source destination aaaa ns mx ptr route machine vm inet inet6
  dhcp vpn firewall whitelist allowlist blocklist remote endpoint traceroute nmap dig lan wan`.split(/\s+/),
);

export type AddressContext = 'version' | 'address' | 'none';

/** Reads the words before a dotted number, nearest first, within the sentence, and says what they make of it. */
export function contextBefore(window: TextWindow, start: number): AddressContext {
  const reach = window.left(start, REACH);
  const left = reach.slice(reach.lastIndexOf('\n') + 1);
  // Words cut off by the reach are not words.
  const words = left.toLowerCase().split(/[^a-z0-9§._-]+/);
  if (left.length === REACH) words.shift();
  for (let index = words.length - 1, seen = 0; index >= 0 && seen < 6; index--) {
    const word = words[index] ?? '';
    if (word === '') continue;
    if (word === '§' || word.startsWith('§')) return 'version';
    const bare = word.replace(/^[._-]+|[._-]+$/g, '');
    const last = bare.slice(Math.max(bare.lastIndexOf('_'), bare.lastIndexOf('-'), bare.lastIndexOf('.')) + 1);
    if (VERSION_WORDS.has(bare) || VERSION_WORDS.has(last)) return 'version';
    if (ADDRESS_WORDS.has(bare) || ADDRESS_WORDS.has(last)) return 'address';
    if (/[a-z]\.$/.test(word)) return 'none';
    seen++;
  }
  return 'none';
}
