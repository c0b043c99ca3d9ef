import { ALNUM, CODE, COLON, DIGIT, EQUALS, isIn, LETTER, QUOTE } from '../characters.ts';
import type { Finding, Label, Verify } from '../finding.ts';
import { isApiPath, isReadingPage } from '../host-judge.ts';
import { ENDPOINT_CONTEXT, SERVICE_SCHEMES, WEB_SCHEMES } from '../lexicon/hosts.ts';
import type { TextWindow } from '../text-window.ts';
import {
  type Authority,
  LONGEST_AUTHORITY,
  plainHost,
  readAuthority,
  readPath,
  SCHEME_ENDS,
  schemeBefore,
  USERINFO,
} from '../url-parts.ts';
import { CONFIGURED_HOST } from './configured.ts';
import { isConnectionUri } from './connection-uris.ts';
import { login, type Rule } from './rule.ts';

const RFC3986 = 'https://www.rfc-editor.org/rfc/rfc3986#section-3.2';
/** A URL that inherits its scheme: `"//host/path"`. */
const RELATIVE_BEGINNINGS = ['"//', "'//", '`//', '(//', ': //'];
const RELATIVE = new Set(RELATIVE_BEGINNINGS);

/** One question, "does this URL disclose a server?", and a record for each reason to say yes. */
const verifyUrl: Verify = (window, start, end, anchor) =>
  anchor !== '://' && RELATIVE.has(anchor) ? verifyRelative(window, start, end) : verifyAbsolute(window, start, end);

const shared = { type: 'url', anchors: [...SCHEME_ENDS, ...RELATIVE_BEGINNINGS], verify: verifyUrl } as const;

const API_HOST: Rule = {
  name: 'url-api-host',
  ...shared,
  source: RFC3986,
  masks: ['GET https://api.example.com/v1/users', 'https:\\/\\/gateway.example.net\\/x'],
  keeps: ['https://api-docs.example.dev/news/1', 'app.api.users.list()'],
};

const API_PATH: Rule = {
  name: 'url-api-path',
  ...shared,
  source: RFC3986,
  masks: ['POST https://example.com/api/login', 'http://shop.example.com/Service.svc?wsdl'],
  keeps: ['https://example.com/docs/api/start', 'GET /v1/users/{id}'],
};

const PORT: Rule = {
  name: 'url-port',
  ...shared,
  source: RFC3986,
  masks: ['http://localhost:3000/docs', 'https://shop.example.com:8443/'],
  keeps: ['http://HOST:PORT/'],
};

const IP_HOST: Rule = {
  name: 'url-ip-host',
  ...shared,
  source: RFC3986,
  masks: ['http://192.0.2.1/admin', 'http://3232235777/', 'http://[2001:db8::1]/'],
  keeps: ['rdar://14323230'],
};

const ONE_LABEL: Rule = {
  name: 'url-one-label',
  ...shared,
  source: RFC3986,
  masks: ['http://payments/charge'],
  keeps: [
    'http://HOSTNAME/charge',
    'http://<host>/x',
    'https://storage.{region}.example.com/x',
    'https://pip--<NUMBER>.example.org/en/',
    'https://golang\\.org/doc',
    'https%3A%2F%2Fshop%2Eexample%2Ecom%2Fx',
  ],
};

const INTERNAL_HOST: Rule = {
  name: 'url-internal-host',
  ...shared,
  source: 'https://www.rfc-editor.org/rfc/rfc8375',
  masks: ['https://wiki.corp.example.com/x', 'http://nas.home.arpa/'],
  keeps: ['https://www.example.com/about'],
};

/** A login in a URL, whose host goes with it. */
export const LOGIN: Rule = {
  name: 'url-userinfo',
  ...shared,
  source: RFC3986,
  masks: [`https://${login('budi')}git.example.com/x`],
  keeps: ['git+ssh://git@github.com/nodejs/node.git'],
};

const ENDPOINT: Rule = {
  name: 'url-endpoint-context',
  ...shared,
  source: RFC3986,
  masks: ["baseURL: 'https://pay.example.id'"],
  keeps: ["homepage: 'https://pay.example.id'"],
};

const SERVICE_SCHEME: Rule = {
  name: 'service-scheme',
  ...shared,
  source: 'https://www.rfc-editor.org/rfc/rfc6455#section-3',
  masks: ['wss://live.example.com/socket', 'mqtt://broker.example.com'],
  keeps: ['vscode://file/x'],
};

/** URLs whose authority is masked. */
export const URL_RULES: readonly Rule[] = [
  API_HOST,
  API_PATH,
  PORT,
  IP_HOST,
  ONE_LABEL,
  INTERNAL_HOST,
  LOGIN,
  ENDPOINT,
  SERVICE_SCHEME,
];

/** `scheme://`, `scheme:\/\/` (JSON) and `scheme%3A%2F%2F`. */
function verifyAbsolute(window: TextWindow, start: number, end: number): Finding | undefined {
  const scheme = schemeBefore(window, start);
  if (scheme === '') return undefined;
  if (!isOfWeb(scheme) && isConnectionUri(window, scheme, start, end)) return undefined;
  const hostEnd = plainHost(window, end);
  if (hostEnd > end) {
    const plain = { start: end, hostStart: end, hostEnd, end: hostEnd, port: false, login: false, templated: false };
    return findingAt(window, scheme, start - scheme.length, plain);
  }
  const endless = end + LONGEST_AUTHORITY;
  if (window.run(end, USERINFO, LONGEST_AUTHORITY) === endless)
    return { rule: LOGIN, start: end, end: endless, open: USERINFO };
  const authority = readAuthority(window, end);
  return authority === undefined ? undefined : findingAt(window, scheme, start - scheme.length, authority);
}

/** Compared before anything is looked up: most schemes are one of the two. */
function isHttp(scheme: string): boolean {
  return scheme === 'https' || scheme === 'http';
}

function isOfWeb(scheme: string): boolean {
  return isHttp(scheme) || WEB_SCHEMES.has(scheme);
}

function verifyRelative(window: TextWindow, start: number, end: number): Finding | undefined {
  if (!isIn(window.at(end), ALNUM)) return undefined;
  const authority = readAuthority(window, end);
  if (authority === undefined || authority.login) return undefined;
  if (!/\.(?:[a-z]{2,}|\d{1,3})$/i.test(window.slice(authority.hostStart, authority.hostEnd))) return undefined;
  return findingAt(window, 'https', start, authority);
}

function findingAt(window: TextWindow, scheme: string, urlStart: number, authority: Authority): Finding | undefined {
  const rule = reasonToMask(window, scheme, urlStart, authority);
  return rule === undefined ? undefined : { rule, start: authority.start, end: authority.end };
}

/** The first reason that applies names the span. */
function reasonToMask(window: TextWindow, scheme: string, urlStart: number, authority: Authority): Label | undefined {
  const host = window.judgeHost(window.slice(authority.hostStart, authority.hostEnd));
  // Most links lead to documentation and sources.
  if (host === 'reading' && isHttp(scheme) && !authority.login && !authority.port) return undefined;
  if (!endsAuthority(window, authority.end) || host === 'allowed') return undefined;
  if (host === 'configured') return CONFIGURED_HOST;
  if (authority.login && isCredential(window, authority)) return LOGIN;
  if (authority.templated) return undefined;
  if (host !== 'placeholder' && !isHttp(scheme) && SERVICE_SCHEMES.has(scheme)) return SERVICE_SCHEME;
  if (host === 'address') return isNumberOfAnother(window, scheme, authority) ? undefined : IP_HOST;
  if (!isOfWeb(scheme) || host === 'placeholder') return undefined;
  if (authority.port) return PORT;
  if (host === 'one-label')
    return goesOnAsTemplate(window, authority.end) || isPublicInPattern(window, authority) ? undefined : ONE_LABEL;
  if (host === 'internal') return INTERNAL_HOST;
  if (host === 'platform') return API_HOST;
  if (host === 'reading') return undefined;
  const path = readPath(window, authority.end);
  if (host === 'api') return isReadingPage(path) ? undefined : API_HOST;
  if (isApiPath(path)) return API_PATH;
  return isEndpointContext(window, urlStart) && !isReadingPage(path) ? ENDPOINT : undefined;
}

function isEndpointContext(window: TextWindow, urlStart: number): boolean {
  // Most links stand in brackets, which no such context ends with.
  const code = window.before(urlStart - 1);
  return (
    (isIn(code, LETTER | COLON | EQUALS | QUOTE) || code === CODE.space) &&
    ENDPOINT_CONTEXT.test(window.left(urlStart, 40))
  );
}

/** `rdar://14323230`: a number below a scheme that is not the web's is no address. */
function isNumberOfAnother(window: TextWindow, scheme: string, { hostStart, hostEnd }: Authority): boolean {
  return !isOfWeb(scheme) && /^\d+$/.test(window.slice(hostStart, hostEnd));
}

/** `https://storage.{region}.example.com`, `https://pip--<number>.example.org`: the beginning of a name that is filled in. */
function goesOnAsTemplate(window: TextWindow, end: number): boolean {
  return /^(?:\.[{$<%]|[-_]{1,2}(?:<[A-Za-z]|\$?\{))/.test(window.peek(end, 4));
}

/** `https:\/\/golang\.org`, `https%3A%2F%2Fshop%2Eexample%2Ecom`: the host goes on behind a dot that is escaped, and is no server's. */
function isPublicInPattern(window: TextWindow, { hostStart, hostEnd }: Authority): boolean {
  const rest = ESCAPED_LABELS.exec(window.peek(hostEnd, LONGEST_REST))?.[0];
  if (rest === undefined) return false;
  const whole = `${window.slice(hostStart, hostEnd)}${rest.replaceAll(ESCAPED_DOT, '.')}`;
  const verdict = window.judgeHost(whole);
  return verdict === 'open' || verdict === 'reading' || verdict === 'placeholder' || verdict === 'allowed';
}

const LONGEST_REST = 80;
const ESCAPED_DOT = /\\{1,2}\.|%2[Ee]/g;
const ESCAPED_LABELS = /^(?:(?:\\{1,2}\.|%2[Ee])[A-Za-z0-9-]{1,30}){1,4}/;

/** `=`, `(` and `@` cannot follow an authority, and dots after it are an ellipsis. */
function endsAuthority(window: TextWindow, end: number): boolean {
  const code = window.at(end);
  return (
    !window.touchesMarker(end) &&
    code !== CODE.equals &&
    code !== CODE.openParenthesis &&
    code !== CODE.at &&
    !(code === CODE.dot && window.at(end + 1) === CODE.dot)
  );
}

/** A login in a URL. `git@github.com` names a repository; `<user>:${PASSWORD}@` is a template. */
function isCredential(window: TextWindow, { start, hostStart }: Authority): boolean {
  const login = window.slice(start, hostStart - 1);
  if (login === '' || /^(?:git|hg|svn|ssh)$/.test(login) || login.startsWith('***')) return false;
  const secret = login.slice(login.indexOf(':') + 1);
  return (
    !/^(?:\$[A-Za-z_]|\$?\{|%[A-Z_]+%$|[*.x]+$)/.test(secret) &&
    (isIn(login.charCodeAt(0), LETTER | DIGIT) || login.startsWith(':'))
  );
}
