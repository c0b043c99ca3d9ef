import { assignmentVerifier, verifyBasic, verifyBearer } from './assignment.ts';
import { apiHostVerifier, clientVerifier, hostPortVerifier, verifyConfiguredHost } from './bare-hosts.ts';
import { CODE_NAMES, verifyCodeNumber } from './code-numbers.ts';
import { commandVerifier, verifyDirective, verifyIdentifiedBy, verifyPiped } from './command-secrets.ts';
import { verifyJaas, verifyLibpq, verifyOracleDescriptor, verifyPairs } from './connection-pairs.ts';
import { readConnectionUri, verifyGoDsn, verifyJdbc, verifySqlplus } from './connection-uri.ts';
import { ANY_DIGIT, type Anchor, type Verify } from './finding.ts';
import type { HostLists } from './host-policy.ts';
import { verifyIp4 } from './ip4.ts';
import { verifyIp6 } from './ip6.ts';
import { verifyEncodedJwt, verifyJwt, verifyPrivateKey, verifyPuttyKey } from './key-blocks.ts';
import { MARKER_ANCHORS } from './own-markers.ts';
import { GIVING_VERBS, verifyNamedAfterwards } from './prose.ts';
import { COMMAND_OPTIONS, VENDOR_WORDS } from './rules/commands.ts';
import { LIBPQ_KEYS } from './rules/connection-families.ts';
import { BARE_HOST_ENDINGS } from './rules/host-lists.ts';
import { PASSWORD_WORDS, SECRET_WORDS, WEAK_WORDS } from './rules/secret-words.ts';
import { TOKEN_SHAPES } from './rules/token-rules.ts';
import { verifyTableCell, verifyTableDivider, verifyTableEnd } from './table-columns.ts';
import { tokenAnchor } from './token-shape.ts';
import { innerShapeAnchors } from './unprefixed-tokens.ts';
import { relativeUrlVerifier, urlVerifier } from './url.ts';

const HEX_DIGITS = [ANY_DIGIT, 'a', 'b', 'c', 'd', 'e', 'f'];

const each = (texts: readonly string[], verify: Verify): Anchor[] => texts.map((text) => ({ text, verify }));

/** Every anchor of the built-in rules. Where several end at one character, the longest is asked first. */
export function builtInAnchors(hosts: HostLists): Anchor[] {
  const url = urlVerifier(hosts, readConnectionUri);
  return [
    ...MARKER_ANCHORS,
    ...each(['://', ':\\/\\/', '%3a%2f%2f', ':\\u002f\\u002f'], url),
    ...each(['"//', "'//", '`//', '(//', ': //'], relativeUrlVerifier(hosts)),
    ...each(
      [...BARE_HOST_ENDINGS].map((ending) => `.${ending}:`),
      hostPortVerifier(hosts),
    ),
    ...each(hosts.mask, verifyConfiguredHost),
    ...each(['api.', 'api-', 'gateway.', 'gw.'], apiHostVerifier(hosts)),
    ...CLIENTS.map((text) => ({ text, verify: clientVerifier(hosts, text, true) })),
    ...HOST_KEYS.map((text) => ({ text, verify: clientVerifier(hosts, text, true, 1) })),
    ...ENDPOINT_OPTIONS.map((text) => ({ text, verify: clientVerifier(hosts, text, false) })),
    ...each([`${ANY_DIGIT}.${ANY_DIGIT}`, `${ANY_DIGIT}[.`, `${ANY_DIGIT}(.`, `${ANY_DIGIT}[d`], verifyIp4),
    ...each([...HEX_DIGITS.map((digit) => `${digit}:`), '::'], verifyIp6),
    ...each(['jdbc:', 'r2dbc:'], verifyJdbc),
    ...each(['@tcp(', '@tcp6(', '@unix('], verifyGoDsn),
    ...each(['sqlplus '], verifySqlplus),
    ...each(ADO_FIRST_KEYS, verifyPairs),
    ...each(
      [...LIBPQ_KEYS.keys()].map((key) => `${key.toLowerCase()}=`),
      verifyLibpq,
    ),
    ...each(['loginmodule required'], verifyJaas),
    ...each(['(description=', '(description ='], verifyOracleDescriptor),
    ...each(['-----begin '], verifyPrivateKey),
    ...each(['private-lines: '], verifyPuttyKey),
    ...each(['eyj'], verifyJwt),
    ...each(['zxlk'], verifyEncodedJwt),
    ...TOKEN_SHAPES.map(tokenAnchor),
    ...innerShapeAnchors(),
    ...[...COMMAND_OPTIONS].map(([command, options]) => ({ text: command, verify: commandVerifier(command, options) })),
    ...each(['\n|-', '\n| -', '\n|:', '\n| :'], verifyTableDivider),
    { text: '\n\n', verify: verifyTableEnd, insideTable: true },
    { text: '|', verify: verifyTableCell, insideTable: true },
    ...each(
      GIVING_VERBS.map((verb) => `${verb} `),
      verifyNamedAfterwards,
    ),
    ...each(['requirepass ', 'masterauth '], verifyDirective),
    ...each(['identified by '], verifyIdentifiedBy),
    ...each(['echo ', 'printf '], verifyPiped),
    ...each(CODE_NAMES, verifyCodeNumber),
    ...each(['basic '], verifyBasic),
    ...each(['bearer '], verifyBearer),
    ...each(PASSWORD_WORDS, assignmentVerifier('password')),
    ...each(SECRET_WORDS, assignmentVerifier('secret')),
    ...each(WEAK_WORDS, assignmentVerifier('weak')),
    ...each(VENDOR_WORDS, assignmentVerifier('vendor')),
  ];
}

const ADO_FIRST_KEYS = [
  'server=',
  'data source=',
  'datasource=',
  'host=',
  'hostname=',
  'driver={',
  'driver=',
  'provider=',
  'dsn=',
  'endpoint=',
  'accountendpoint=',
  'defaultendpointsprotocol=',
  'accountname=',
  'accountkey=',
  'sharedaccesskey=',
  'sharedaccesskeyname=',
  'blobendpoint=',
  'initial catalog=',
  'database=',
  'uid=',
  'user id=',
  'userid=',
  'username=',
  'user=',
  'password=',
  'pwd=',
  'hostname=',
  'addr=',
  'address=',
  'instrumentationkey=',
];

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
const ENDPOINT_OPTIONS = [
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
];

/** Keys of configuration whose value is a host. */
const HOST_KEYS = [
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
];
