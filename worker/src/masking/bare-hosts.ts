import { ALNUM, DASH, DIGIT, DOT, HOSTNAME, isIn, LETTER, UNDERSCORE, WORD } from './characters.ts';
import type { Finding, Verify } from './finding.ts';
import { type HostLists, hostJudge, isApiPath, isInternal } from './host-policy.ts';
import { BARE_HOST_ENDINGS } from './rules/host-lists.ts';
import type { TextWindow } from './text-window.ts';
import { endOfPort, readPath } from './url.ts';

const AT = 64;
const SLASH = 47;

/** Verifies at `.com:` and its like: `registry.acme.com:5000`, a server named with its port. */
export function hostPortVerifier(lists: HostLists): Verify {
  const judge = hostJudge(lists);
  return (window, _start, end) => {
    const colon = end - 1;
    const portEnd = endOfPort(window, colon);
    if (portEnd - colon < 3 || !endsCleanly(window, portEnd)) return undefined;
    const hostStart = hostStartBefore(window, colon);
    if (hostStart < 0) return undefined;
    const host = window.text.slice(hostStart, colon);
    if (!isBareHost(host) || judge(host).kind === 'allowed') return undefined;
    return { type: 'url', rule: 'host-port', start: hostStart, end: portEnd };
  };
}

/** A port is not followed by a longer number, a clock's next colon or a name. */
function endsCleanly(window: TextWindow, end: number): boolean {
  const code = window.at(end);
  return (
    !window.touchesMarker(end) && !isIn(code, WORD) && code !== 58 && !(code === 46 && isIn(window.at(end + 1), ALNUM))
  );
}

/** The start of a host that ends at `end`; -1 when it is part of a path, an address or a name. */
function hostStartBefore(window: TextWindow, end: number): number {
  const start = window.runBefore(end, HOSTNAME);
  const code = window.before(start - 1);
  if (code === AT || code === SLASH || code === 36 || code === 35 || code === 92)
    return code === SLASH && window.before(start - 2) === SLASH ? start : -1;
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
export function apiHostVerifier(lists: HostLists): Verify {
  const judge = hostJudge(lists);
  return (window, start) => {
    if (start < window.hostRejectedUntil) return undefined;
    const run = window.run(start, HOSTNAME, 255);
    const hostEnd = window.trim(start, run, '-._');
    if (window.at(hostEnd) !== SLASH) {
      if (!window.starved) window.hostRejectedUntil = run;
      return undefined;
    }
    const from = window.runBefore(start, HOSTNAME);
    const code = window.before(from - 1);
    if (code === AT || code === SLASH || code === 36 || code === 58) return undefined;
    const host = window.text.slice(from, hostEnd);
    const labels = host.toLowerCase().split('.');
    if (labels.length < 3 || !BARE_HOST_ENDINGS.has(labels.at(-1) ?? '')) return undefined;
    const { kind } = judge(host);
    if (kind === 'allowed' || kind === 'reading' || !isApiPath(readPath(window, hostEnd))) return undefined;
    return { type: 'url', rule: 'bare-api-host', start: from, end: hostEnd };
  };
}

/** Verifies at a host of `maskHosts`, wherever it is named: the host, its subdomains and its port are masked. */
export const verifyConfiguredHost: Verify = (window, start, end) => {
  const after = window.at(end);
  if (isIn(after, ALNUM | DASH | UNDERSCORE) || (after === 46 && isIn(window.at(end + 1), ALNUM))) return undefined;
  const code = window.before(start - 1);
  if (isIn(code, ALNUM | DASH | UNDERSCORE)) return undefined;
  const from = code === 46 ? window.runBefore(start, HOSTNAME) : start;
  return { type: 'url', rule: 'configured-host', start: from, end: endOfPort(window, end) };
};

/** Words that are no server although a client stands before them. */
const NOT_A_HOST =
  /^(?:[-.]|\d+$|localhost$|https?$|null$|true$|false$)|\.(?:sh|js|ts|json|txt|ya?ml|md|html?|py|tar|gz|zip|conf|pem|crt|key|log|deb|rpm|exe|png|jpg|svg|css|go|rs|rb|php|sql|xml|toml|lock)$/i;

/**
 * Verifies at a client's name: `curl`, `wget`, `Host:`, `-connect`. Options are stepped over; the first word that is a
 * host with a port, an API label or path, or an internal name is masked.
 */
export function clientVerifier(lists: HostLists, command: string, strict: boolean, mostWords = 8): Verify {
  const judge = hostJudge(lists);
  return (window, start, end) => {
    // `KAFKA_BROKERS=` is a key with a longer name; `mycurl ` is no client.
    const stuck = mostWords === 1 ? ALNUM : WORD | DASH | DOT;
    if (isIn(window.before(start - 1), stuck) && isIn(window.code(start), LETTER)) return undefined;
    let index = end;
    for (let words = 0; words < mostWords; words++) {
      index = window.run(index, 8192, 4);
      const quote = window.at(index);
      if (quote === 34 || quote === 39) index++;
      // Our own marker, or the same command again, which is asked by itself.
      if (window.at(index) === 42 || window.matches(index, command)) return undefined;
      const found = readClientHost(window, index, judge, strict);
      if (found !== undefined) return found;
      const next = endOfWord(window, index);
      if (next === index || window.at(next) !== 32) return undefined;
      index = next;
    }
    return undefined;
  };
}

/** The end of a list of servers, `kafka-1:9092,kafka-2:9092`: masked as one. */
function endOfList(window: TextWindow, from: number): number {
  let end = from;
  for (let servers = 0; servers < 16 && window.at(end) === 44; servers++) {
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
    if (code <= 32 || code === 96 || code === 124 || code === 59) break;
    index++;
  }
  return index;
}

function readClientHost(
  window: TextWindow,
  from: number,
  judge: ReturnType<typeof hostJudge>,
  strict: boolean,
): Finding | undefined {
  if (!isIn(window.at(from), ALNUM)) return undefined;
  const hostEnd = window.trim(from, window.run(from, ALNUM | DASH | DOT | UNDERSCORE, 255), '-._');
  const portEnd = endOfPort(window, hostEnd);
  const after = window.at(portEnd);
  if (after === AT || after === 58 || after === 61 || after === 40) return undefined;
  const host = window.text.slice(from, hostEnd);
  if (NOT_A_HOST.test(host) && portEnd === hostEnd) return undefined;
  const labels = host.toLowerCase().split('.');
  const { kind } = judge(host);
  if (kind === 'allowed' || kind === 'placeholder' || !isIn(host.charCodeAt(0), LETTER | DIGIT)) return undefined;
  const named = labels.length > 1 && /^[a-z]{2,}$/.test(labels.at(-1) ?? '');
  const finding = { type: 'url', rule: 'client-host', start: from, end: endOfList(window, portEnd) } as const;
  if (kind === 'configured') return finding;
  if (portEnd > hostEnd && portEnd - hostEnd > 2 && !/^\d+$/.test(host)) return finding;
  if (!named || kind === 'reading') return undefined;
  if (isInternal(labels) || kind === 'api' || !strict) return finding;
  return after === SLASH && isApiPath(readPath(window, portEnd)) ? finding : undefined;
}
