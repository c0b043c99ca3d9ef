import { wordSet } from './word-set.ts';

/** Before a dotted number these say that it is none of a machine: a version, a section of a text, an amount of money. */
export const VERSION_WORDS =
  wordSet(`version versions versi ver v vers section sections sec chapter chapters clause clauses bab pasal ayat klausul bagian subbab butir
  poin oid oids build builds release releases released rilis revision rev firmware driver drivers patch hotfix update upgrade upgraded
  table tabel figure gambar fig appendix lampiran paragraph annex article artikel item items sdk jdk jre api-level semver kernel
  step langkah rule aturan requirement chrome chromium safari webkit mozilla oracle rp idr usd rupiah versioning tag nomor no halaman`);
/** Before a dotted number or a short IPv6 form these say that it is an address. */
export const ADDRESS_WORDS =
  wordSet(`ip ips ipv4 ipv6 address addresses addr alamat host hosts server servers peladen node nodes gateway router resolver dns nameserver
  subnet netmask network jaringan interface port listen listens listening bind binds bound ping ssh telnet curl client peer connect
  connects connected loopback localhost proxy from dari via cidr src dst source destination aaaa ns mx ptr route machine vm inet inet6
  dhcp vpn firewall whitelist allowlist blocklist remote endpoint traceroute nmap dig lan wan`);

/** Commands before `name@1.2.3.4`, a version. */
export const PACKAGE_MANAGERS = /\b(?:npm|npx|pnpm|yarn|bun|deno|pip3?|brew|gem|cargo|composer|conan|vcpkg)\b/g;
