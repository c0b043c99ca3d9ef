import { MORE_CALLS } from './more-calls.ts';
import { SIGNING_CALLS } from './signing-calls.ts';

/** A function that is given a secret without naming it. */
export interface CredentialCall {
  /** Which argument is the secret, counted from 0. */
  readonly argument: number;
  /** Which one it is where only one is given: `redis.auth("…")`. */
  readonly alone?: number;
  /** What has to stand behind the secret, in lower case: the label of the next argument and a name. */
  readonly behind?: RegExp;
  /** Which argument is the host of a database. */
  readonly host?: number;
  /** How far behind the secret that is looked for. */
  readonly reach?: number;
  /** Which argument may be a number, a port: then the secret is one place further on. */
  readonly movedBy?: number;
  /** All arguments up to the secret are literals: the name of the function alone says too little. */
  readonly literals?: boolean;
  /** Nothing but a password stands at this place: words alone are one. */
  readonly certain?: boolean;
  /** The literal is a user and a password, with a colon between them. */
  readonly login?: boolean;
  /** No brackets stand around the arguments, as in Basic and Ruby: the end of the line is their end. */
  readonly bare?: boolean;
  /** What stands right before the name. */
  readonly before?: RegExp;
  /** What the first argument begins with. */
  readonly first?: RegExp;
  readonly source: string;
}

const calls = (source: string, argument: number, names: readonly string[], alone?: number) =>
  names.map((name): readonly [string, CredentialCall] => [
    name,
    alone === undefined ? { argument, source } : { argument, alone, source },
  ]);

/** Calls that take nothing but a password at this place. */
const certain = (source: string, argument: number, names: readonly string[]) =>
  names.map((name): readonly [string, CredentialCall] => [name, { argument, certain: true, source }]);

/** Calls whose first argument is the host of a database. */
const connections = (source: string, argument: number, names: readonly string[]) =>
  names.map((name): readonly [string, CredentialCall] => [name, { argument, host: 0, source }]);

/**
 * How a call begins that takes credentials: the end of the function's name in lower case, and the bracket. Of two that
 * end at one place the longer decides, so `ftp_login(` may have another argument than `login(`.
 */
export const CREDENTIAL_CALLS: ReadonlyMap<string, CredentialCall> = new Map<string, CredentialCall>([
  // A user, then the password: what sessions, mailboxes and browsers are signed in by.
  ...calls(
    'https://docs.python.org/3/library/imaplib.html#imaplib.IMAP4.login',
    1,
    ['login(', 'log_in(', 'logon(', 'signin(', 'sign_in('],
    0,
  ),
  ...calls('https://www.mongodb.com/docs/manual/reference/method/db.auth/', 1, ['auth(', 'authenticate('], 0),
  ...calls('https://www.rfc-editor.org/rfc/rfc7617', 1, [
    'basicauth(',
    'basic_auth(',
    'digestauth(',
    'digest_auth(',
    'basicauthentication(',
    'basicauthenticator(',
    'passwordauthentication(',
    'passwordauthenticator(',
    '.basic(',
    '::basic(',
  ]),
  ...certain('https://github.com/auth0/node-jsonwebtoken#usage', 1, ['jwt.sign(', 'jwt.verify(']),
  // The key of a digest, of a cipher or of a signature.
  ...calls('https://nodejs.org/api/crypto.html#cryptocreatehmacalgorithm-key-options', 1, [
    'createhmac(',
    'createcipheriv(',
    'createdecipheriv(',
  ]),
  ...calls('https://docs.python.org/3/library/hmac.html#hmac.new', 0, ['hmac.new(']),
  ...calls('https://www.php.net/manual/en/function.hash-hmac.php', 2, [
    'hash_hmac(',
    'openssl_encrypt(',
    'openssl_decrypt(',
  ]),
  ...calls('https://docs.ruby-lang.org/en/3.4/OpenSSL/HMAC.html', 1, ['hmac.hexdigest(', 'hmac.digest(']),
  ...certain(
    'https://docs.djangoproject.com/en/stable/topics/auth/passwords/#django.contrib.auth.hashers.make_password',
    0,
    ['make_password(', 'generate_password_hash(', 'bcrypt.hash(', 'hashsync(', 'hashpw(', 'hash_password('],
  ),
  ...certain('https://www.php.net/manual/en/function.password-hash.php', 0, [
    'password_hash(',
    'password_verify(',
    'hash::make(',
  ]),
  ...certain('https://docs.spring.io/spring-security/reference/features/authentication/password-storage.html', 0, [
    'passwordencoder.encode(',
    'passwordencoder().encode(',
    'bcryptpasswordencoder().encode(',
    'bcrypt.hashpassword(',
    'bcrypt::password.create(',
    'generatefrompassword(',
    'argon2.hash(',
  ]),
  // An address of mail, then the password.
  ...certain('https://firebase.google.com/docs/auth/web/password-auth', 1, [
    'signinwithemailandpassword(',
    'createuserwithemailandpassword(',
  ]),
  ...certain('https://firebase.google.com/docs/auth/web/password-auth', 2, [
    'signinwithemailandpassword(auth',
    'createuserwithemailandpassword(auth',
  ]),
  ...certain('https://docs.djangoproject.com/en/stable/ref/contrib/auth/#manager-methods', 2, [
    'create_user(',
    'create_superuser(',
  ]),
  ...certain('https://github.com/openresty/lua-resty-redis#auth', 0, [
    'red:auth(',
    'redis:auth(',
    'redis.auth(',
    'redis->auth(',
  ]),
  ...certain('https://dev.mysql.com/doc/c-api/8.4/en/mysql-real-connect.html', 3, ['mysql_real_connect(']),
  ...certain('https://docs.ruby-lang.org/en/3.4/Net/FTP.html', 2, ['net::ftp.open(', 'net::ftp.new(', 'ftplib.ftp(']),
  ...certain('https://docs.ruby-lang.org/en/3.4/Net/SMTP.html', 4, ['net::smtp.start(', 'smtp.start(']),
  ...certain('https://pubsubclient.knolleary.net/api#connect', 2, ['mqttclient.connect(', 'mqtt_client.connect(']),
  ...calls('https://cryptography.io/en/latest/fernet/', 0, ['fernet(']),
  ...calls('https://docs.oracle.com/en/java/javase/21/docs/api/java.base/javax/crypto/spec/SecretKeySpec.html', 0, [
    'secretkeyspec(',
    'hmacshakeyfor(',
  ]),
  ...calls('https://learn.microsoft.com/en-us/dotnet/api/microsoft.identitymodel.tokens.symmetricsecuritykey', 0, [
    'symmetricsecuritykey(',
  ]),
  ...calls('https://expressjs.com/en/resources/middleware/cookie-parser.html', 0, ['cookieparser(']),
  ...calls('https://itsdangerous.palletsprojects.com/en/stable/url_safe/', 0, ['urlsafetimedserializer(']),
  ...calls('https://ktor.io/docs/client-basic-auth.html', 1, ['basicauthcredentials(']),
  ...calls('https://pyjwt.readthedocs.io/en/stable/usage.html', 1, ['jwt.encode(', 'jwt.decode(']),
  ...calls('https://requests.readthedocs.io/en/latest/user/authentication/', 1, ['auth=(', 'auth = (', 'auth: (']),
  ...calls('https://docs.guzzlephp.org/en/stable/request-options.html#auth', 1, ["auth' => [", 'auth" => [']),
  ...calls('https://learn.microsoft.com/en-us/dotnet/api/system.net.networkcredential', 1, [
    'credential(',
    'credentials(',
    'credentials.create(',
    'credentials.new(',
    'credentials::new(',
    'credentialsprovider(',
  ]),
  ...calls('https://learn.microsoft.com/en-us/python/api/azure-identity/azure.identity.clientsecretcredential', 2, [
    'clientsecretcredential(',
  ]),
  ...calls('https://pkg.go.dev/net/smtp#PlainAuth', 2, ['plainauth(', 'newplainclient(']),
  ...calls('https://pkg.go.dev/net/smtp#CRAMMD5Auth', 1, ['crammd5auth(', 'newloginclient(']),
  // The value of a header, then the header's name.
  ...['setvalue(', 'addvalue(', 'setvalue:@', 'addvalue:@'].map((name): readonly [string, CredentialCall] => [
    name,
    {
      argument: 0,
      behind: /^["']?,? {0,4}forhttpheaderfield: {0,4}@?"[\w-]{0,40}(?:auth|token|key|secret)/,
      source: 'https://developer.apple.com/documentation/foundation/urlrequest/setvalue(_:forhttpheaderfield:)',
    },
  ]),
  // An address, a user, the password: connections of databases, directories and files.
  ...calls('https://docs.oracle.com/en/java/javase/21/docs/api/java.sql/java/sql/DriverManager.html', 2, [
    'getconnection(',
  ]),
  ...calls('https://www.php.net/manual/en/pdo.construct.php', 2, ['pdo(']),
  ...connections('https://www.php.net/manual/en/function.mysqli-connect.php', 2, [
    'mysqli_connect(',
    'mysql_connect(',
    'mysql_pconnect(',
    'mysqli(',
    'mysql.connect(',
    'mysqldb.connect(',
    'pymysql.connect(',
  ]),
  ...calls('https://www.php.net/manual/en/mysqli.real-connect.php', 3, ['mysqli_real_connect(']),
  ...calls('https://www.php.net/manual/en/function.odbc-connect.php', 2, ['odbc_connect(', 'odbc_pconnect(']),
  ...calls('https://www.php.net/manual/en/function.oci-connect.php', 1, ['oci_connect(', 'oci_pconnect(']),
  ...calls('https://python-oracledb.readthedocs.io/en/latest/api_manual/module.html', 1, [
    'oracledb.connect(',
    'cx_oracle.connect(',
  ]),
  ...calls('https://metacpan.org/pod/DBI#connect', 2, ['dbi->connect(', 'dbi.connect(']),
  ...calls('https://www.php.net/manual/en/function.imap-open.php', 2, ['imap_open(']),
  ...calls('https://www.php.net/manual/en/function.ftp-login.php', 2, ['ftp_login(']),
  ...calls('https://www.php.net/manual/en/function.ssh2-auth-password.php', 2, ['ssh2_auth_password(']),
  ...calls('https://www.php.net/manual/en/function.ldap-bind.php', 2, ['ldap_bind(']),
  ...calls('https://www.python-ldap.org/en/python-ldap-3.4.3/reference/ldap.html#ldap.LDAPObject.simple_bind', 1, [
    'simple_bind(',
    'simple_bind_s(',
  ]),
  ...calls('https://www.twilio.com/docs/libraries/reference/twilio-node/', 1, ['twilio(', 'twilio.client(']),
  // Wireless networks, queues, and what else is signed in by a user and a password.
  ...certain('https://docs.arduino.cc/libraries/wifi/#WiFi%20class', 1, [
    'wifi.begin(',
    'wifi.softap(',
    'wifimulti.addap(',
  ]),
  ...calls('https://docs.micropython.org/en/latest/library/network.WLAN.html', 1, [
    'wlan.connect(',
    'sta_if.connect(',
    'wifi.connect(',
  ]),
  ...certain('https://eclipse.dev/paho/files/paho.mqtt.python/html/client.html', 1, [
    'username_pw_set(',
    'setusernamepassword(',
  ]),
  ...calls('https://github.com/php-amqplib/php-amqplib', 3, ['amqpstreamconnection(', 'amqpsslconnection(']),
  ...calls('https://www.mongodb.com/docs/drivers/java/sync/current/security/authentication/', 2, [
    'createcredential(',
    'createscramsha1credential(',
    'createscramsha256credential(',
    'createplaincredential(',
  ]),
  ...calls('https://docs.python.org/3/library/urllib.request.html#http-password-mgr', 3, ['add_password(']),
  ...calls('https://docs.oasis-open.org/wss-m/wss/v1.1.1/wss-UsernameTokenProfile-v1.1.1.html', 1, [
    'usernametoken(',
    'usernamepasswordtoken(',
  ]),
  ...calls('https://github.com/requests/requests-ntlm', 1, ['ntlmauth(', 'ntlm_auth(']),
  ...calls('https://www.php.net/manual/en/memcached.setsaslauthdata.php', 1, ['setsaslauthdata(']),
  ...calls('https://www.php.net/manual/en/function.ibase-connect.php', 2, ['ibase_connect(', 'db2_connect(']),
  ...MORE_CALLS,
  ...SIGNING_CALLS,
]);
