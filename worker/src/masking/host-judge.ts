import { CODE, DIGIT, isIn } from './characters.ts';
import {
  API_SEGMENTS,
  API_SUFFIXES,
  API_WORDS,
  INTERNAL_LABELS,
  INTERNAL_SUFFIXES,
  NAMES_OF_HOSTS,
  PUBLIC_SECOND_LABELS,
  READING_LABELS,
  READING_SEGMENTS,
  READING_SITES,
} from './lexicon/hosts.ts';

export interface HostLists {
  readonly mask: readonly string[];
  readonly allow: readonly string[];
}

/**
 * What a host says by itself. `configured`, `address`, `one-label`, `internal` and `platform` are masked; `allowed` is
 * kept; `placeholder` and `reading` are kept unless a login or a port stands beside them; `api` is masked unless the
 * path is a page to read; `open` leaves it to the path.
 */
export type HostVerdict =
  | 'allowed'
  | 'configured'
  | 'address'
  | 'placeholder'
  | 'one-label'
  | 'internal'
  | 'platform'
  | 'reading'
  | 'api'
  | 'open';

export type JudgeHost = (host: string) => HostVerdict;

const MOST_REMEMBERED = 1000;

/** A judge of hosts that remembers its verdicts: the same few hosts fill a document. */
export function hostJudge(lists: HostLists): JudgeHost {
  let remembered = new Map<string, HostVerdict>();
  let last = '';
  let lastVerdict = judgeHost(last, lists);
  return (host) => {
    // Links in a row lead to the same host: to compare it costs less than to look it up.
    if (host === last) return lastVerdict;
    const known = remembered.get(host);
    last = host;
    if (known !== undefined) {
      lastVerdict = known;
      return known;
    }
    if (remembered.size >= MOST_REMEMBERED) remembered = new Map();
    const verdict = judgeHost(host, lists);
    remembered.set(host, verdict);
    lastVerdict = verdict;
    return verdict;
  };
}

function judgeHost(written: string, lists: HostLists): HostVerdict {
  const host = written.toLowerCase().replace(/^\[|\]$|\.$/g, '');
  if (covers(lists.allow, host)) return 'allowed';
  if (covers(lists.mask, host)) return 'configured';
  if (written.startsWith('[') || isNumericHost(host)) return 'address';
  const labels = host.split('.');
  if (isPlaceholderHost(written, labels)) return 'placeholder';
  if (labels.length === 1) return NAMES_OF_HOSTS.has(host) ? 'open' : 'one-label';
  if (isInternal(labels)) return 'internal';
  if (READING_LABELS.has(labels[0] ?? '') || labels.some((label) => label.endsWith('-docs'))) return 'reading';
  if (embedsAddress(host) || API_SUFFIXES.some((suffix) => isWithin(host, suffix))) return 'platform';
  const length = registrableLength(labels);
  if (labels.slice(0, Math.max(0, labels.length - length)).some((label) => isApiLabel(label))) return 'api';
  if (READING_SITES.has(labels.slice(-length).join('.')) || READING_SITES.has(host)) return 'reading';
  return 'open';
}

function covers(hosts: readonly string[], host: string): boolean {
  return hosts.some((entry) => isWithin(host, entry));
}

function isWithin(host: string, suffix: string): boolean {
  return host === suffix || (host.endsWith(suffix) && host.charCodeAt(host.length - suffix.length - 1) === CODE.dot);
}

/** Dotted, decimal and hexadecimal addresses: everything a resolver would take for a number. */
function isNumericHost(host: string): boolean {
  return /^(?:\d{1,3}(?:\.\d{1,3}){3}|\d{8,10}|0x[\da-f]{1,8})$/.test(host);
}

function isPlaceholderHost(host: string, labels: readonly string[]): boolean {
  if (!/[a-z0-9]/i.test(host) || /^[-.]|\.\.|^x{2,}\b/i.test(host)) return true;
  return labels.length === 1 && (/^[A-Z][A-Z0-9_]*$/.test(host) || /^(?:your|my|the|some)[-_]/i.test(host));
}

export function isInternal(labels: readonly string[]): boolean {
  const last = labels.at(-1) ?? '';
  if (INTERNAL_SUFFIXES.has(last) || last === 'arpa') return true;
  return labels.slice(0, -1).some((label) => INTERNAL_LABELS.has(label));
}

/** How many labels the registrable name has: two, or three under a suffix such as `co.id`. */
function registrableLength(labels: readonly string[]): number {
  return labels.length > 2 && (labels.at(-1) ?? '').length === 2 && PUBLIC_SECOND_LABELS.has(labels.at(-2) ?? '')
    ? 3
    : 2;
}

/** True for `api`, `api-stg`, `llm-gateway`, `apiv2`: an API-like word between hyphens. */
function isApiLabel(label: string): boolean {
  return label.split(/[-_]/).some((word) => API_WORDS.has(withoutVersion(word)));
}

/** `api` of `apiv2` and `api3`. */
function withoutVersion(word: string): string {
  let end = word.length;
  while (isIn(word.charCodeAt(end - 1), DIGIT)) end--;
  return word.slice(0, end < word.length && word.charCodeAt(end - 1) === CODE.v ? end - 1 : end);
}

/** Names such as `ec2-3-4-5-6.compute…` or `10-20-30-40.example` carry the address itself. */
function embedsAddress(host: string): boolean {
  return /(?:^|[.-])\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:[.-]|$)/.test(host);
}

function segmentsOf(path: string): string[] {
  return (path.split(/[?#]/, 1)[0] ?? '').split('/').filter((segment) => segment !== '');
}

/** A page of a generated reference under an `api.` host. Swagger's own page belongs to the service. */
export function isReadingPage(path: string): boolean {
  if (!/\.(?:html?|md|png|svg|jpe?g|gif|pdf)(?:[?#]|$)/.test(path)) return false;
  return !segmentsOf(path).some((segment) => segment.startsWith('swagger') || segment.startsWith('redoc'));
}

/** True when a path (lower case) has a segment only endpoints have, and no chapter of documentation before it. */
export function isApiPath(path: string): boolean {
  const query = path.indexOf('?');
  const fragment = path.indexOf('#');
  if (path.includes('wsdl') && /[?&]wsdl(?:[&#]|$)/.test(path)) return true;
  // A fragment is for a reader: no endpoint is called with one.
  if (path.includes('/wiki/') || (fragment >= 0 && !path.includes('/swagger'))) return false;
  const end = Math.min(query < 0 ? path.length : query, fragment < 0 ? path.length : fragment);
  let api = false;
  let last = '';
  for (let from = 0; from < end; ) {
    const slash = path.indexOf('/', from);
    const to = slash < 0 || slash > end ? end : slash;
    if (to > from) {
      last = path.slice(from, to);
      if (!api && READING_SEGMENTS.has(last)) return false;
      api ||= API_SEGMENTS.has(last) || isVersion(last);
    }
    from = to + 1;
  }
  return api && (!FILE.test(last) || path.includes('/swagger'));
}

/** `v1`, `v2beta1`. */
function isVersion(segment: string): boolean {
  return segment.charCodeAt(0) === CODE.v && /^v\d{1,2}(?:(?:alpha|beta)\d*)?$/.test(segment);
}

const FILE = /\.(?:html?|md|png|svg|jpe?g|gif|webp|ico|pdf|css|js|mjs|zip|t?gz|sh)$/;
