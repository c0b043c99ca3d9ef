import {
  API_SEGMENTS,
  API_SUFFIXES,
  API_WORDS,
  INTERNAL_LABELS,
  INTERNAL_SUFFIXES,
  PUBLIC_SECOND_LABELS,
  READING_LABELS,
  READING_SEGMENTS,
  READING_SITES,
  SERVICE_SCHEMES,
  WEB_SCHEMES,
} from './rules/host-lists.ts';

export interface HostQuestion {
  /** Lower case, empty when the text gives none. */
  readonly scheme: string;
  /** As written: host without port, userinfo or brackets. */
  readonly host: string;
  readonly bracketed: boolean;
  readonly port: boolean;
  readonly userinfo: string;
  /** Path and query as far as they were read, lower case. */
  readonly path: string;
  /** The text around names it an endpoint: `base_url=`, `POST `. */
  readonly endpointContext: boolean;
}

export interface HostLists {
  readonly mask: readonly string[];
  readonly allow: readonly string[];
}

/** Decides whether the authority of a URL is masked, and by which rule; undefined keeps it. */
export function judgeHost(question: HostQuestion, lists: HostLists): string | undefined {
  const host = question.host.toLowerCase().replace(/\.$/, '');
  if (covers(lists.allow, host)) return undefined;
  if (covers(lists.mask, host)) return 'configured-host';
  if (SERVICE_SCHEMES.has(question.scheme)) return 'service-scheme';
  if (question.userinfo !== '' && !isRepositoryLogin(question.userinfo)) return 'url-userinfo';
  if (question.bracketed || isNumericHost(host)) return 'url-ip-host';
  if (question.scheme !== '' && !WEB_SCHEMES.has(question.scheme)) return undefined;
  const labels = host.split('.');
  if (isPlaceholderHost(question.host, labels)) return undefined;
  if (question.port) return 'url-port';
  if (labels.length === 1) return 'url-one-label';
  if (isInternal(labels)) return 'url-internal-host';
  return judgePublicHost(host, labels, question);
}

function judgePublicHost(host: string, labels: readonly string[], question: HostQuestion): string | undefined {
  const reading = READING_LABELS.has(labels[0] ?? '') || labels.some((label) => label.endsWith('-docs'));
  if (reading) return undefined;
  if (embedsAddress(host) || API_SUFFIXES.some((suffix) => isWithin(host, suffix))) return 'url-api-host';
  const site = labels.slice(-registrableLength(labels)).join('.');
  if (hasApiLabel(labels)) return isReadingPage(question.path) ? undefined : 'url-api-host';
  if (READING_SITES.has(site) || READING_SITES.has(host)) return undefined;
  if (hasApiPath(question.path)) return 'url-api-path';
  return question.endpointContext ? 'url-endpoint-context' : undefined;
}

function covers(hosts: readonly string[], host: string): boolean {
  return hosts.some((entry) => isWithin(host, entry));
}

function isWithin(host: string, suffix: string): boolean {
  return host === suffix || (host.endsWith(suffix) && host.charCodeAt(host.length - suffix.length - 1) === 46);
}

/** `git@github.com` is how a repository is named, not a credential. */
function isRepositoryLogin(userinfo: string): boolean {
  return userinfo === 'git' || userinfo === 'hg' || userinfo === 'svn';
}

/** Dotted, decimal, octal and hexadecimal addresses: everything a resolver would take for a number. */
function isNumericHost(host: string): boolean {
  return /^(?:\d{1,3}(?:\.\d{1,3}){3}|\d{8,10}|0x[\da-f]{1,8})$/.test(host);
}

function isPlaceholderHost(host: string, labels: readonly string[]): boolean {
  if (!/[a-z0-9]/i.test(host)) return true;
  if (/^[-.]|\.\.|^x{2,}\b/i.test(host)) return true;
  return labels.length === 1 && (/^[A-Z][A-Z0-9_]*$/.test(host) || /^(?:your|my|the|some)[-_]/i.test(host));
}

function isInternal(labels: readonly string[]): boolean {
  if (INTERNAL_SUFFIXES.has(labels.at(-1) ?? '')) return true;
  if (labels.at(-1) === 'arpa') return true;
  return labels.slice(0, -1).some((label) => INTERNAL_LABELS.has(label));
}

/** How many labels the registrable name has: two, or three under a suffix such as `co.id`. */
function registrableLength(labels: readonly string[]): number {
  const second = labels.at(-2) ?? '';
  return labels.length > 2 && (labels.at(-1) ?? '').length === 2 && PUBLIC_SECOND_LABELS.has(second) ? 3 : 2;
}

function hasApiLabel(labels: readonly string[]): boolean {
  const subdomains = labels.slice(0, Math.max(0, labels.length - registrableLength(labels)));
  return subdomains.some((label) => isApiLabel(label));
}

export function isApiLabel(label: string): boolean {
  return label.split(/[-_]/).some((word) => API_WORDS.has(word.replace(/v?\d+$/, '')));
}

/** Names such as `ec2-3-4-5-6.compute…` or `10-20-30-40.example` carry the address itself. */
function embedsAddress(host: string): boolean {
  return /(?:^|[.-])\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:[.-]|$)/.test(host);
}

function segmentsOf(path: string): string[] {
  return (path.split(/[?#]/, 1)[0] ?? '').split('/').filter((segment) => segment !== '');
}

/** A page of a generated reference under an `api.` host. Swagger's own page belongs to the service. */
function isReadingPage(path: string): boolean {
  const segments = segmentsOf(path);
  if (segments.some((segment) => segment.startsWith('swagger') || segment.startsWith('redoc'))) return false;
  return /\.(?:html?|md|png|svg|jpe?g|gif|pdf)$/.test(segments.at(-1) ?? '');
}

function hasApiPath(path: string): boolean {
  if (/[?&]wsdl(?:[&#]|$)/.test(path)) return true;
  const segments = segmentsOf(path);
  if (/\.(?:html?|md|png|svg|jpe?g|gif|webp|ico|pdf|css|js|mjs|zip|t?gz|sh)$/.test(segments.at(-1) ?? '')) return false;
  const api = segments.findIndex(
    (segment) => API_SEGMENTS.has(segment) || /^v\d{1,2}(?:(?:alpha|beta)\d*)?$/.test(segment),
  );
  if (api < 0) return false;
  return !segments.slice(0, api).some((segment) => READING_SEGMENTS.has(segment));
}
