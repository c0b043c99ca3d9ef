import { assignmentVerifier, verifyBasic, verifyBearer } from './assignment.ts';
import { verifyJaas, verifyLibpq, verifyOracleDescriptor, verifyPairs } from './connection-pairs.ts';
import { readConnectionUri, verifyGoDsn, verifyJdbc, verifySqlplus } from './connection-uri.ts';
import type { Anchor, Verify } from './finding.ts';
import type { HostLists } from './host-policy.ts';
import { verifyIp4 } from './ip4.ts';
import { verifyIp6 } from './ip6.ts';
import { verifyEncodedJwt, verifyJwt, verifyPrivateKey } from './key-blocks.ts';
import { MARKER_ANCHORS } from './own-markers.ts';
import { LIBPQ_KEYS } from './rules/connection-families.ts';
import { PASSWORD_WORDS, SECRET_WORDS, WEAK_WORDS } from './rules/secret-words.ts';
import { AI_TOKENS } from './rules/tokens-ai.ts';
import { CLOUD_TOKENS } from './rules/tokens-cloud.ts';
import { SERVICE_TOKENS } from './rules/tokens-services.ts';
import { SOURCE_CODE_TOKENS } from './rules/tokens-source-code.ts';
import { tokenAnchor } from './token-shape.ts';
import { relativeUrlVerifier, urlVerifier } from './url.ts';

const DIGITS = '0123456789'.split('');
const HEX_DIGITS = '0123456789abcdef'.split('');

const each = (texts: readonly string[], verify: Verify): Anchor[] => texts.map((text) => ({ text, verify }));

/** Every anchor of the built-in rules. Where several end at one character, the longest is asked first. */
export function builtInAnchors(hosts: HostLists): Anchor[] {
  const url = urlVerifier(hosts, readConnectionUri);
  const pairs = DIGITS.flatMap((first) => DIGITS.map((second) => `${first}.${second}`));
  const defanged = DIGITS.flatMap((digit) => [`${digit}[.`, `${digit}(.`, `${digit}[d`]);
  return [
    ...MARKER_ANCHORS,
    ...each(['://', ':\\/\\/', '%3a%2f%2f', ':\\u002f\\u002f'], url),
    ...each(['"//', "'//", '`//', '(//'], relativeUrlVerifier(hosts)),
    ...each([...pairs, ...defanged], verifyIp4),
    ...each([...HEX_DIGITS.map((digit) => `${digit}:`), '::'], verifyIp6),
    ...each(['jdbc:', 'r2dbc:'], verifyJdbc),
    ...each(['@tcp(', '@tcp6('], verifyGoDsn),
    ...each(['sqlplus '], verifySqlplus),
    ...each(ADO_FIRST_KEYS, verifyPairs),
    ...each(
      [...LIBPQ_KEYS.keys()].map((key) => `${key.toLowerCase()}=`),
      verifyLibpq,
    ),
    ...each(['loginmodule required'], verifyJaas),
    ...each(['(description=', '(description ='], verifyOracleDescriptor),
    ...each(['-----begin '], verifyPrivateKey),
    ...each(['eyj'], verifyJwt),
    ...each(['zxlk'], verifyEncodedJwt),
    ...[...SOURCE_CODE_TOKENS, ...CLOUD_TOKENS, ...AI_TOKENS, ...SERVICE_TOKENS].map(tokenAnchor),
    ...each(['basic '], verifyBasic),
    ...each(['bearer '], verifyBearer),
    ...each(PASSWORD_WORDS, assignmentVerifier('password')),
    ...each(SECRET_WORDS, assignmentVerifier('secret')),
    ...each(WEAK_WORDS, assignmentVerifier('weak')),
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
