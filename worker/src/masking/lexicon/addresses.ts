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

/** Headings of columns that hold versions, and what makes one of addresses. */
export const VERSION_HEADING =
  /\b(?:versions?|versi|releases?|rilis|builds?|firmware|revisions?|revisi|semver|fixed in|affected|latest|wanted|terbaru|ver|installed)\b/i;
/** Of a table with a column of components these are headings of versions too. */
export const COMPONENT_HEADING =
  /\b(?:components?|packages?|modules?|software|dependenc(?:y|ies)|librar(?:y|ies)|plugins?|komponen|paket|pustaka)\b/i;
export const RELEASE_HEADING =
  /\b(?:versions?|versi|releases?|rilis|builds?|firmware|revisions?|revisi|semver|fixed in|affected|latest|wanted|terbaru|ver|installed|current|target|available|previous|old|new|lama|baru|sekarang)\b/i;
export const ADDRESS_HEADING =
  /\b(?:ip|ipv4|address(?:es)?|alamat|hosts?|server|subnet|gateway|cidr|network|dns|node|peer)\b/i;

/** A standard not far before the number of one of its sections. */
export const NUMBERED_STANDARDS =
  /\b(?:RFC|ISO(?:\/IEC)?|IEC|ECMA|ES|C(?:\+\+)?|POSIX|ITU-T|IEEE|NIST|SP|ANSI|ETSI|TS|BIP|PEP|EIP|SQL|DIN|EN|SNI)[- ]?\d{1,6}(?:[.:-]\d{1,6})?,? /g;
/** The same right before it, whatever else its line says: `from ECMA-262 [15.5.4.11]`. */
export const STANDARD_RIGHT_BEFORE = /\b(?:RFC|ECMA|ISO(?:\/IEC)?|IEC|ITU-T|IEEE)[- ]?\d{1,6},? [[(]?$/;
/** A function that takes object identifiers, up to its argument. */
export const OBJECT_CALLS = /(?:oid|obj|nid|asn1|extension|snmp|identifier)\w{0,16}\s?\(\s?\w{0,2}["'`]?$/i;
/** The end of what is said before the number of a release, on its line. */
export const BEFORE_RELEASE =
  /(?:\b(?:since|sejak|as of|prior to|before|until|fixed in|merged to|backported to|added in|removed in|introduced in|new in|policy|standards?|spec(?:ification)?)|version(?:added|changed|modified)::|\d{4}-\d{2}-\d{2}) ?\(?$/i;
/** `new in glibc 2.34.1.2`, `pkg:deb/debian/curl@7.88.1.10`: the same with the name of what was released. */
export const BEFORE_NAMED_RELEASE = /(?:\b(?:new in|based on) [\w.+-]+|pkg:[\w/.%-]+@) ?\(?$/i;
/** `the fix for this in 1.8.1.3`. */
export const FIXED_BEFORE = /\b(?:fix|fixes|fixed|patch|patched) (?:[a-z]{1,12} ){0,3}in ?$/i;
/** The beginning of what is said behind it: notes, a stage, Debian's list of changes (policy 4.4), a part of a standard. */
export const BEHIND_RELEASE =
  /^(?: (?:(?:and|or) (?:above|later|newer|higher|greater|earlier|older|up|below)|release notes|beta|alpha|rc\d?|patch(?:es)?|hotfix|final|para(?:graph)?s?)\b|[-+~]?[\w.+~-]{0,24}\) [a-z-]{2,24}(?: [a-z-]{2,24})?; urgency=|(?:(?:,| and) [\d.]{3,12})? of (?:the )?(?:[\w-]{1,16} ){0,3}(?:specification|standard|rfc|spec)\b)/i;
/** What a list of changes says behind a version: a date, or what was done. */
export const RELEASE_NOTES =
  /^[\]*`:]{0,4}\s{0,3}(?:[-–—(]\s?)?(?:\(?\d{4}-\d{2}-\d{2}\b|(?:\w{1,12} ){0,2}(?:releases?|released|rilis|fix|fix(?:es|ed)|bugfix|drops?|dropped|adds?|added|supports?|deprecates?|perbaik\w{1,4}|memperbaiki|menambah\w{0,4}|tambah|breaking|security)\b)/i;
/** What follows an address alone: a port, a prefix, the fields of a log, a name in a table of hosts, what machine it is. */
export const BEHIND_ADDRESS =
  /^(?::\d{2,5}\b|\/(?:[89]|[12]\d|3[0-2])(?![\d./])| - (?:-|\w{1,32}) \[| port \d| dev | via |[^\n\d]{1,20}\b(?:servers?|hosts?|gateway|router|node|dns|resolver|proxy|peer|machine|vm|peladen)\b|[ \t]{1,8}(?:localhost|[a-z][\w-]{0,30}\.(?:[\w-]{1,30}\.){0,3}[a-z]{2,8})\b)/i;
/** `upgrade V8 from 4.2.77.18`, `rolled back to …`: in front of them on a line, `from` and `to` are those of releases. */
export const MOVED_FROM =
  /\b(?:up|down)?(?:grad(?:e[ds]?|ing)|dat(?:e[ds]?|ing))\b|\b(?:bump(?:s|ed)?|roll(?:s|ed)?|releas(?:e[ds]?|ing)|renamed|perbarui|naik)\b/i;
