import type { CredentialCall } from './credential-calls.ts';

type Entry = readonly [name: string, call: CredentialCall];

function entries(call: CredentialCall, names: readonly string[]): readonly Entry[] {
  return names.map((name): Entry => [name, call]);
}

/** Nothing but a password stands at this place. */
function certain(source: string, argument: number, names: readonly string[]): readonly Entry[] {
  return entries({ argument, certain: true, source }, names);
}

/** Calls that sign, encrypt or derive with a key that somebody typed, and more that sign in; see `credential-calls.ts`. */
export const SIGNING_CALLS: readonly Entry[] = [
  // What signs and encrypts: a key that somebody typed.
  ...certain('https://github.com/expressjs/cookie-parser#cookieparsersecret-options', 0, ['cookieparser(']),
  ...certain('https://docs.rs/jsonwebtoken/latest/jsonwebtoken/struct.EncodingKey.html', 0, [
    'encodingkey::from_secret(',
    'decodingkey::from_secret(',
  ]),
  ...certain('https://pkg.go.dev/github.com/gorilla/sessions#NewCookieStore', 0, ['newcookiestore(']),
  ...certain('https://pkg.go.dev/github.com/golang-jwt/jwt/v5#Token.SignedString', 0, ['.signedstring(']),
  ...certain('https://pkg.go.dev/crypto/hmac#New', 0, [
    'hmac.new(sha1.new, ',
    'hmac.new(sha256.new, ',
    'hmac.new(sha512.new, ',
  ]),
  ...certain('https://github.com/jwtk/jjwt#secretkey-formats', 0, [
    'hmacshakeyfor(',
    'signwith(signaturealgorithm.hs256, ',
    'signwith(signaturealgorithm.hs384, ',
    'signwith(signaturealgorithm.hs512, ',
  ]),
  ...certain('https://javadoc.io/doc/com.auth0/java-jwt/latest/com/auth0/jwt/algorithms/Algorithm.html', 0, [
    'algorithm.hmac256(',
    'algorithm.hmac384(',
    'algorithm.hmac512(',
  ]),
  ...certain('https://learn.microsoft.com/en-us/dotnet/api/microsoft.identitymodel.tokens.symmetricsecuritykey', 0, [
    'symmetricsecuritykey(encoding.utf8.getbytes(',
    'symmetricsecuritykey(encoding.ascii.getbytes(',
  ]),
  ...certain('https://docs.oracle.com/en/java/javase/21/docs/api/java.base/javax/crypto/spec/SecretKeySpec.html', 0, [
    'secretkeyspec(',
  ]),
  ...certain('https://cryptography.io/en/latest/hazmat/primitives/key-derivation-functions/', 0, ['kdf.derive(']),
  ...certain('https://passlib.readthedocs.io/en/stable/lib/passlib.context.html', 0, [
    'pwd_context.hash(',
    'pwd_context.verify(',
    'pwd_context.encrypt(',
  ]),
  ...entries(
    {
      argument: 0,
      certain: true,
      before: /\b\w{0,12}(?:pdf|reader|writer|doc|document|zip)(?:file|reader|writer)?(?:\([^()\n]{0,32}\))?$/i,
      source: 'https://pypdf.readthedocs.io/en/stable/user/encryption-decryption.html',
    },
    ['.encrypt(', '.decrypt('],
  ),
  ...entries(
    {
      argument: 1,
      certain: true,
      before: /(?:keystore|truststore|\bks|\bts|\bstore)$/i,
      source: 'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/security/KeyStore.html',
    },
    ['.load('],
  ),
  // What is signed in to: an address, a directory, a database.
  ...certain('https://sequelize.org/docs/v6/getting-started/', 2, ['sequelize(']),
  ...certain('https://ldap3.readthedocs.io/en/latest/connection.html', 2, ['ldap3.connection(']),
  ...certain('https://ldap3.readthedocs.io/en/latest/connection.html', 1, ['connection(server, ']),
  ...certain('https://epaul.github.io/jsch-documentation/javadoc/com/jcraft/jsch/JSch.html', 1, ['addidentity(']),
  ...entries({ argument: 1, source: 'https://docs.spring.io/spring-security/reference/servlet/test/mockmvc/' }, [
    'httpbasic(',
    'newuser(',
  ]),
  ...entries(
    {
      argument: 0,
      login: true,
      behind: /^"\.utf8\)[?!]?\.base64/,
      source: 'https://developer.apple.com/documentation/foundation/data/base64encodedstring(options:)',
    },
    ['data('],
  ),
];
