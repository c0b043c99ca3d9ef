import { DASH, DOT, isIn, WORD } from './characters.ts';
import type { TextWindow } from './text-window.ts';

/** How far back a word may stand that says what a dotted number is. */
const REACH = 64;
const SECTION_SIGN = 0xa7;

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

/** Reads the words before a dotted number, nearest first, within the line and sentence, and says what they make of it. */
export function contextBefore(window: TextWindow, start: number): AddressContext {
  const stop = Math.max(window.floor, start - REACH);
  let end = start;
  for (let seen = 0; seen < 6; ) {
    while (end > stop && !isWordPart(window.code(end - 1))) {
      if (window.code(end - 1) === 10) return 'none';
      end--;
    }
    let begin = end;
    while (begin > stop && isWordPart(window.code(begin - 1))) begin--;
    // A word cut off by the reach is no word.
    if (begin === end || (begin === stop && stop === start - REACH)) return 'none';
    const context = contextOf(window.text.slice(begin, end).toLowerCase());
    if (context !== undefined) return context;
    end = begin;
    seen++;
  }
  return 'none';
}

function isWordPart(code: number): boolean {
  return isIn(code, WORD | DOT | DASH) || code === SECTION_SIGN;
}

function contextOf(word: string): AddressContext | undefined {
  if (word.startsWith('§')) return 'version';
  const bare = word.replace(/^[._-]{1,8}|[._-]{1,8}$/g, '');
  const last = bare.slice(Math.max(bare.lastIndexOf('_'), bare.lastIndexOf('-'), bare.lastIndexOf('.')) + 1);
  if (VERSION_WORDS.has(bare) || VERSION_WORDS.has(last) || bare.endsWith('version')) return 'version';
  if (ADDRESS_WORDS.has(bare) || ADDRESS_WORDS.has(last)) return 'address';
  return /[a-z]\.$/.test(word) ? 'none' : undefined;
}
