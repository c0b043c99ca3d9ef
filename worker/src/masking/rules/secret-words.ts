const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Words whose presence in a name makes it the name of a secret; what follows them in the name may take that back. */
export const PASSWORD_WORDS =
  `password passwd passw passwort passphrase passcode passwrd pword pwd sandi katasandi psw kennwort contrasena psk`.split(
    ' ',
  );
export const SECRET_WORDS =
  `secret secrets authorization secretkey apikey api_key api-key apisecret apitoken accesskey access_key privatekey private_key signingkey encryptionkey
  masterkey authkey auth_key authtoken accesstoken refreshtoken token credential credentials creds licensekey rahasia kunci jwt webhooksecret
  clientsecret connectionstring salt pepper seed mnemonic cookie signature hmac sig appid sas dsn otp session sessionid csrf`
    .split(/\s+/)
    .concat('api key', 'secret key', 'access key', 'signing key', 'encryption key');
export const WEAK_WORDS = 'key auth access api pass'.split(' ');

/** The last word of a name when the name is about a secret rather than the secret: `token_type`, `passwordField`. */
export const NOT_THE_SECRET = list(`
  id ids identifier name names type types kind url uri urls uris endpoint host length len size count counts limit limits max min
  expires expiry expire expiration expired ttl lifetime timeout age date time at created updated rotation policy policies rule rules strength score
  field fields input inputs label labels placeholder placeholders form file files filename path paths dir folder ref reference arn
  version versions header headers prefix suffix provider providers manager service services store storage vault backend env var variable variables
  algorithm alg algo format binding bindings code codes method methods enabled disabled required optional valid invalid validation validator hint
  error errors message messages reset change changed update forgot confirm confirmation confirmed confirmpassword page pages link links
  usage uses used budget window price cost total index idx position offset stream handler hook callback event events class classes
  list array map set object schema model table column row cell group groups role roles scope scopes permission permissions
  status state mode level visible visibility icon button color text title description info details
  generator parser reader writer builder factory helper util utils config configuration options option settings setting params param
  rate bucket pool cache queue job task process checker check test tests mock fixture source target issuer audience subject owner user username
  email mail phone number exists present missing interval refresh algorithm_type s per ing izer ization ized ify word words up down wrap board
  ord wd value_from iterations digest bits bytes rounds encoding curve material purpose spec usages pair pairs ring chain agent`);

/** The first words of a name that has nothing to do with secrets although it ends in `key`, `token` or `code`. */
export const HARMLESS_QUALIFIERS = list(`
  public publishable primary foreign unique cache idempotency partition sort row query storage map object dict index group routing translation
  i18n react composite candidate natural surrogate site hot short cmd ctrl shift alt arrow enter escape tab function home end down up left right
  item list json parent child data config registry event sub dedupe dedup lock message locale lang field column prop attr param option menu
  stop next max min num total input output prompt completion unk pad bos eos mask sep cls special end start cancel cancellation injection
  status http error exit zip postal country area qr bar source byte op key`);

/** Before `key` these speak of a public one: what follows is its fingerprint. */
export const PUBLIC_KEY_QUALIFIERS = list('gpg pgp openpgp gnupg minisign');

/** Defaults and vocabulary that name nothing: masking them would hide a lesson and protect nobody. */
export const DEFAULT_WORDS = list(`
  postgres postgresql mysql root admin admin123 administrator user username password passwd pass secret changeme changeit change_me change-me test testing test123 tests
  guest demo example default none null nil undefined true false yes no on off empty string str text number int integer boolean bool bytes
  any object array unknown void never required optional hidden redacted masked secretkey mysecret mypassword my-secret supersecret
  toor minio minioadmin rabbitmq mongodb redis sa mariadb oracle grafana keycloak airflow elastic kibana nexus password123 password1 passw0rd
  p@ssw0rd 123456 12345678 123456789 1234567890 qwerty letmein welcome foo bar baz foobar abc123 abcd1234 abcdef test1234 rahasia sandi token apikey api-key api_key
  access refresh bearer basic digest oauth oauth2 jwt apikeyauth header cookie query body env environment file vault manual auto
  enabled disabled stdin prompt self inherit system keyboard cat shh s3cret anonymous public private base64 base64url hex utf8 utf-8 ascii latin1 sha1 sha256 sha512 md5 hs256 rs256 es256 aes256 bcrypt argon2 dummy fake sample placeholder value`);
