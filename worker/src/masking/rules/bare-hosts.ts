import { ALNUM, BLANK, CODE, DASH, DIGIT, DOT, HOSTNAME, isIn, LETTER, UNDERSCORE, WORD } from '../characters.ts';
import type { Finding, Verify } from '../finding.ts';
import { isApiPath, isInternal } from '../host-judge.ts';
import { BARE_HOST_ENDINGS, NOT_A_HOST } from '../lexicon/hosts.ts';
import type { Memory } from '../memory.ts';
import type { TextWindow } from '../text-window.ts';
import { endOfPort, readPath } from '../url-parts.ts';
import type { Rule } from './rule.ts';

/** Commands whose argument may be a host without a scheme. */
const CLIENTS = [
  'curl ',
  'wget ',
  'httpie ',
  'xh ',
  'docker pull ',
  'docker push ',
  'docker login ',
  'docker tag ',
  'podman pull ',
  'telnet ',
  'nc ',
  'ncat ',
  'websocat ',
  'wscat -c ',
  'ab ',
  'wrk ',
  'hey ',
];
/** Options and headers whose value is a host. */
const ENDPOINT_OPTIONS = new Set([
  'grpcurl ',
  '-connect ',
  '-servername ',
  'server_name ',
  '--bootstrap-server ',
  'bootstrap.servers=',
  '\nhost: ',
  '"host: ',
  "'host: ",
  '-h "host: ',
  '--endpoint ',
  '--server ',
  '--api-server ',
]);

/** Keys of configuration whose value is a host. */
const HOST_KEYS = new Set([
  'host: ',
  'hostname: ',
  'host = ',
  'hostname = ',
  'brokers=',
  'brokers: ',
  'servers=',
  'servers: ',
  'nodes=',
  'addr=',
  'address=',
]);
/** So many words after a client are read: options before the host. */
const MOST_WORDS = 8;

/** Verifies at `.com:` and its like: `registry.acme.com:5000`, a server named with its port. */
const verifyHostPort: Verify = (window, _start, end) => {
  const colon = end - 1;
  const portEnd = endOfPort(window, colon);
  if (portEnd - colon < 3 || !endsCleanly(window, portEnd)) return undefined;
  const hostStart = hostStartBefore(window, colon);
  if (hostStart < 0) return undefined;
  const host = window.slice(hostStart, colon);
  return isBareHost(host) && window.judgeHost(host) !== 'allowed' ? { start: hostStart, end: portEnd } : undefined;
};

/** A port is not followed by a longer number, a clock's next colon or a name. */
function endsCleanly(window: TextWindow, end: number): boolean {
  const code = window.at(end);
  return (
    !window.touchesMarker(end) &&
    !isIn(code, WORD) &&
    code !== CODE.colon &&
    !(code === CODE.dot && isIn(window.at(end + 1), ALNUM))
  );
}

/** The start of a host that ends at `end`; -1 when it is part of a path, an address or a name. */
function hostStartBefore(window: TextWindow, end: number): number {
  const start = window.runBefore(end, HOSTNAME);
  const code = window.before(start - 1);
  if (code === CODE.at || code === CODE.slash || code === CODE.dollar || code === CODE.hash || code === CODE.backslash)
    return code === CODE.slash && window.before(start - 2) === CODE.slash ? start : -1;
  return isIn(window.code(start), ALNUM) ? start : -1;
}

function isBareHost(host: string): boolean {
  const labels = host.toLowerCase().split('.');
  if (labels.length < 2 || !BARE_HOST_ENDINGS.has(labels.at(-1) ?? '')) return false;
  if (labels.some((label) => label === '' || label.includes('_'))) return false;
  return (
    labels.length > 2 ||
    /-/.test(labels[0] ?? '') ||
    isInternal(labels) ||
    /^(?:com|net|org|io|cloud|local|internal|lan)$/.test(labels[1] ?? '')
  );
}

/** Verifies at `api.` and `api-`: a host without a scheme that an endpoint's path follows, as in `api.acme.com/v1/ping`. */
const verifyApiHost: Verify = (window, start) => {
  const hostEnd = window.run(start, HOSTNAME, 255);
  // Nothing else is read for most: `api.` may stand in a name as often as it likes.
  if (window.at(hostEnd) !== CODE.slash || !isIn(window.code(hostEnd - 1), ALNUM)) return undefined;
  const from = window.runBefore(start, HOSTNAME);
  const code = window.before(from - 1);
  if (code === CODE.at || code === CODE.slash || code === CODE.dollar || code === CODE.colon) return undefined;
  const host = window.slice(from, hostEnd);
  const labels = host.toLowerCase().split('.');
  if (labels.length < 3 || !BARE_HOST_ENDINGS.has(labels.at(-1) ?? '')) return undefined;
  const verdict = window.judgeHost(host);
  if (verdict === 'allowed' || verdict === 'reading' || !isApiPath(readPath(window, hostEnd))) return undefined;
  return { start: from, end: hostEnd };
};

/**
 * Verifies at a client's name: `curl`, `wget`, `Host:`, `-connect`. Options are stepped over; the first word that is a
 * host with a port, an API label or path, or an internal name is masked.
 */
const verifyClient: Verify = (window, start, end, command) => {
  const isKey = HOST_KEYS.has(command);
  const mostWords = isKey ? 1 : MOST_WORDS;
  const strict = !ENDPOINT_OPTIONS.has(command);
  // `KAFKA_BROKERS=` is a key with a longer name; `mycurl ` is no client.
  const stuck = isKey ? ALNUM : WORD | DASH | DOT;
  if (isIn(window.before(start - 1), stuck) && isIn(window.code(start), LETTER)) return undefined;
  let index = end;
  for (let words = 0; words < mostWords; words++) {
    index = window.run(index, BLANK, 4);
    const quote = window.at(index);
    if (quote === CODE.doubleQuote || quote === CODE.singleQuote) index++;
    // Our own marker, or the same command again, which is judged by itself.
    if (window.at(index) === CODE.star || window.matches(index, command)) return undefined;
    const found = findClientHost(window, index, strict);
    if (found !== undefined) return found;
    const next = endOfWord(window, index);
    if (next === index || window.at(next) !== CODE.space) return undefined;
    index = next;
  }
  return undefined;
};

/** The end of a list of servers, `kafka-1:9092,kafka-2:9092`: masked as one. */
function endOfList(window: TextWindow, from: number): number {
  let end = from;
  for (let servers = 0; servers < 16 && window.at(end) === CODE.comma; servers++) {
    const hostEnd = window.run(end + 1, ALNUM | DASH | DOT, 255);
    const portEnd = endOfPort(window, hostEnd);
    if (hostEnd === end + 1 || portEnd === hostEnd) break;
    end = portEnd;
  }
  return end;
}

function endOfWord(window: TextWindow, from: number): number {
  let index = from;
  while (index < from + 120) {
    const code = window.at(index);
    if (code <= CODE.space || code === CODE.backtick || code === CODE.pipe || code === CODE.semicolon) break;
    index++;
  }
  return index;
}

/** Words that are known to be no host: several clients before a word look at it. */
const NO_CLIENT_HOST: Memory<{ strict: Int32Array; loose: Int32Array }> = {
  begin: () => ({ strict: new Int32Array(REMEMBERED).fill(-1), loose: new Int32Array(REMEMBERED).fill(-1) }),
  forget: ({ strict, loose }) => {
    strict.fill(-1);
    loose.fill(-1);
  },
};
/** More than the words that are read after a client lie together. */
const REMEMBERED = 64;

function findClientHost(window: TextWindow, from: number, strict: boolean): Finding | undefined {
  const known = strict ? window.remembered(NO_CLIENT_HOST).strict : window.remembered(NO_CLIENT_HOST).loose;
  const place = from % REMEMBERED;
  if (known[place] === from) return undefined;
  const found = readClientHost(window, from, strict);
  if (found === undefined && !window.starved) known[place] = from;
  return found;
}

function readClientHost(window: TextWindow, from: number, strict: boolean): Finding | undefined {
  if (!isIn(window.at(from), ALNUM)) return undefined;
  const hostEnd = window.trim(from, window.run(from, ALNUM | DASH | DOT | UNDERSCORE, 255), '-._');
  const portEnd = endOfPort(window, hostEnd);
  const after = window.at(portEnd);
  if (after === CODE.at || after === CODE.colon || after === CODE.equals || after === CODE.openParenthesis)
    return undefined;
  const host = window.slice(from, hostEnd);
  if (portEnd === hostEnd && NOT_A_HOST.test(host)) return undefined;
  // One label without a port is a host only where it is configured to be.
  if (portEnd === hostEnd && !host.includes('.') && window.judgeHost(host) !== 'configured') return undefined;
  const labels = host.toLowerCase().split('.');
  const verdict = window.judgeHost(host);
  if (verdict === 'allowed' || verdict === 'placeholder' || !isIn(host.charCodeAt(0), LETTER | DIGIT)) return undefined;
  const named = labels.length > 1 && /^[a-z]{2,}$/.test(labels.at(-1) ?? '');
  const finding = { start: from, end: endOfList(window, portEnd) };
  if (verdict === 'configured') return finding;
  if (portEnd > hostEnd && portEnd - hostEnd > 2 && !/^\d+$/.test(host)) return finding;
  if (!named || verdict === 'reading') return undefined;
  if (isInternal(labels) || verdict === 'api' || !strict) return finding;
  return after === CODE.slash && isApiPath(readPath(window, portEnd)) ? finding : undefined;
}

/** Hosts without a scheme that are clearly a server. */
export const BARE_HOST_RULES: readonly Rule[] = [
  {
    name: 'host-port',
    type: 'url',
    anchors: [...BARE_HOST_ENDINGS].map((ending) => `.${ending}:`),
    verify: verifyHostPort,
    source: 'https://www.rfc-editor.org/rfc/rfc3986#section-3.2',
    masks: ['image: registry.example.com:5000/app'],
    keeps: ['lib/app.ts:10:4'],
  },
  {
    name: 'bare-api-host',
    type: 'url',
    anchors: ['api.', 'api-', 'gateway.', 'gw.'],
    verify: verifyApiHost,
    source: 'https://www.rfc-editor.org/rfc/rfc3986#section-3.2',
    masks: ['see api.example.com/v1/ping'],
    keeps: ['com.example.api.v1.UserService'],
  },
  {
    name: 'client-host',
    type: 'url',
    anchors: [...CLIENTS, ...HOST_KEYS, ...ENDPOINT_OPTIONS],
    beginsWord: true,
    verify: verifyClient,
    source: 'https://www.rfc-editor.org/rfc/rfc9110#section-7.2',
    masks: ['curl api.example.com/ping', 'GET / HTTP/1.1\nHost: shop.example.com\n'],
    keeps: ['curl -O setup.sh'],
  },
];
