import { wordSet } from './word-set.ts';

/** Defaults and vocabulary that name nothing: masking them would hide a lesson and protect nothing. */
export const DEFAULT_WORDS = wordSet(`
  postgres postgresql mysql root admin admin123 administrator user username password passwd pass secret changeme changeit change_me change-me test testing test123 tests
  guest demo example default none null nil undefined true false yes no on off empty string str text number int integer boolean bool bytes
  any object array unknown void never required optional hidden redacted masked secretkey mysecret mypassword my-secret supersecret
  toor minio minioadmin rabbitmq mongodb redis sa mariadb oracle grafana keycloak airflow elastic kibana nexus password123 password1 passw0rd
  p@ssw0rd 123456 12345678 123456789 1234567890 qwerty letmein welcome foo bar baz foobar abc123 abcd1234 abcdef test1234 rahasia sandi token apikey api-key api_key
  access refresh bearer basic digest oauth oauth2 jwt apikeyauth header cookie query body env environment file vault manual auto
  enabled disabled stdin prompt self inherit system keyboard cat shh s3cret anonymous public private base64 base64url hex utf8 utf-8 ascii latin1 sha1 sha256 sha512 md5 hs256 rs256 es256 aes256 bcrypt argon2 dummy fake sample placeholder value`);

/** A word between the operator and the value: the scheme of a header, a type, a verb. */
export const INTRODUCES_VALUE =
  /^(?:bearer|basic|token|apikey|api-key|digest|aws4-hmac-sha256|key|bot|string|&?str|secretstr|is|adalah|ialah|yaitu|=)$/;
/** The same where it is a type, after which another operator follows. */
export const TYPE_OF_VALUE = /^(?:string|&?str|secretstr)$/;
/** The scheme of a header inside the quotes of the value. */
export const SCHEME_BEFORE_VALUE = /^(?:bearer|basic|token|bot|apikey)\s/;

/** Words that make a value an instruction or an example, in English and Indonesian: anywhere between marks, and at the beginning. */
export const SPEAKING =
  /(?:^|[-_. ])(?:your|my|ganti|isi|masukkan|anda|replace|insert|changeme|change[-_]me|placeholder|redacted|removed|dummy|fake|sample|example|contoh|todo|fixme|goes|here|disini|x{3,24}|abc123|somevalue|value|undefined|masked|hidden|disamarkan|rahasiakan|omitted|snip)(?:$|[-_. ])/i;
export const SPEAKING_START =
  /^(?:your|my)[A-Z_-]|^(?:your|my)(?:api|secret|token|password|key|access)|^(?:insert|replace|enter|put|add|paste|set)(?:[-_]|your|my|the|new|api|pass|key|token|secret|value|here)/i;
/** The same as one word of code: `putSecretHere`. `putih7` is none. */
export const SPEAKING_IN_CAPITALS = /^(?:[Ii]nsert|[Rr]eplace|[Ee]nter|[Pp]ut|[Aa]dd|[Pp]aste|[Ss]et)[A-Z]/;

/** How the body of a token begins that was typed to show where it goes. */
export const FILLS_A_SPACE = /^(?:your|my[-_]|insert|replace|example|placeholder|change[-_]?me|redacted|test[-_])/i;

/** Types, algorithms and fields that end in a digit. */
export const NUMBERED_WORD =
  /^(?:float|double|bytes|string|varchar|nvarchar|bcrypt|argon|scrypt|pbkdf|base|level|field|input|value|param|column|option|version|stage|phase|group|team|user|admin|password|passwd|secret|token|oauth|secp|curve|blake|keccak|crypt|ntlmv|saml|proto|point|vector)\d$/i;

/** Words of a sentence about a password, which a passphrase of drawn words does not hold. */
export const WORDS_OF_A_SENTENCE =
  /\b(?:your|must|is|the|be|and|or|to|enter|please|not|are|for|anda|harus|wajib|tidak|untuk)\b/;

/** What says that a pair with a slash is a user and a password. */
export const LOGIN_WORDS = wordSet(`
  account accounts login logins credential credentials creds user username akun masuk kredensial pengguna zugang anmeldung benutzer compte identifiant
  identifiants cuenta usuario conta gebruiker 账号 帳號 用户 ログイン アカウント`);
/** Words between those and the user. */
export const JOINS_LOGIN = wordSet(
  'in is are as with named called adalah dengan sebagai ist lautet als mit est avec es con com for to exist exists',
);

/** Words of the trade: a value that holds one speaks about passwords, or names a variable, and was not thought up as one. */
export const TRADE_WORDS =
  /pass|pwd|secret|token|username|login|cred|sandi|kunci|default|field|label|title|message|length|required|string|server|client|generated|random|account|policy|expired|settings|params|(?:^|[^a-z])(?:key|user|name|value|var|db|data|root|admin|host|file|path|env|conf|config|auth|api|app|test|conn|your|form|error|step|page|view|min|max|hash|salt|reset|self|this|props|state|req|args|body|input)(?:[^a-z]|$)/i;
/** `$rupiah77!`, `{kota}pahlawan45`, `my-cat-Kiki-12`: what looks like a template and is none. */
export const LIKE_A_TEMPLATE =
  /^\$[A-Z][a-z]{2,16}\d{2,6}(?:\$[a-z]{2,16}|[A-Z][a-z]{2,16})$|^\$[A-Za-z]\w*[!#^~%?*]|^\$[A-Za-z]+\d\w*\[[A-Z][a-z]+\]$|^\{[A-Za-z]+\}[A-Za-z]{3,}\d+$|^[A-Z][a-z]{2,16}\{\{[A-Z][a-z]{2,16}\}\}\d{1,6}$|^my[-_. ][A-Za-z]+[-_. ]\w/i;
/** A constant, a type, a name of code, of a package or with a port: `MSG_0012`, `varchar(255)`, `utf8mb4`, `app_v_12`. */
export const NAMES_SOMETHING = /::|^[A-Z\d_.-]+$|^[a-z\d]+(?:_[a-z\d]+)+$|^[a-z]+\(\d+\)$|^[a-z]+\d+[a-z]|^\w+:\d|^\d/;
/** An algorithm or a standard: `SHA256withRSA`, `ISO8859-1`. */
export const NAMES_STANDARD =
  /(?:sha|md|rc|aes|des|rsa|hmac|pbkdf|argon|crypt|utf|iso|rfc|tlsv?|sslv?|wpa|win|base|oauth|saml|http\/?)-?\d/i;
/** A rule of a form, `required|min:8`, `min:12`. */
export const RULE_OF_FORM = /^[a-z_]{2,24}(?::[\w,.]{1,24})?(?:\|[a-z_]{2,24}(?::[\w,.]{1,24})?){0,12}$/;
