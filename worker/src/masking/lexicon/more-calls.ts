import type { CredentialCall } from './credential-calls.ts';

type Entry = readonly [name: string, call: CredentialCall];

function entries(call: CredentialCall, names: readonly string[]): readonly Entry[] {
  return names.map((name): Entry => [name, call]);
}

/** Nothing but a password stands at this place. */
function certain(source: string, argument: number, names: readonly string[]): readonly Entry[] {
  return entries({ argument, certain: true, source }, names);
}

/** Methods that set a password, alone or behind a user. */
function setters(source: string, names: readonly string[]): readonly Entry[] {
  return entries({ argument: 1, alone: 0, certain: true, source }, names);
}

/** Without brackets: a user in quotes, then the password. */
function statements(source: string, argument: number, names: readonly string[]): readonly Entry[] {
  return entries({ argument, bare: true, source }, names);
}

/** A literal `user:password` that is encoded or handed on. */
function logins(source: string, argument: number, names: readonly string[]): readonly Entry[] {
  return entries({ argument, login: true, source }, names);
}

const DIRECTORY_NAME = /^\s{0,8}@?["'](?:cn|uid|dc|ou|mail)=/i;
const SHEET = /(?:sheets?(?:\([^()\n]{1,24}\))?|workbook|wb|ws|document)\.$/i;

/** Calls by what is signed in to, opened or set; those of `credential-calls.ts` are by kind of login. */
export const MORE_CALLS: readonly Entry[] = [
  // Hosts: an address, a port or none, a user, the password.
  ...entries(
    {
      argument: 2,
      movedBy: 1,
      literals: true,
      source: 'https://docs.paramiko.org/en/stable/api/client.html#paramiko.client.SSHClient.connect',
    },
    ['connect(', '.connection('],
  ),
  ...entries({ argument: 2, movedBy: 1, certain: true, source: 'https://sshnet.github.io/SSH.NET/' }, [
    'sshclient(',
    'sftpclient(',
    'scpclient(',
    'passwordconnectioninfo(',
    'ftpclient(',
  ]),
  ...certain('https://pymssql.readthedocs.io/en/stable/ref/pymssql.html', 2, [
    'pymssql.connect(',
    'jaydebeapi.connect(',
    'pyhs2.connect(',
  ]),
  ...certain('https://pkg.go.dev/gopkg.in/gomail.v2#NewDialer', 3, ['newdialer(']),
  ...certain('https://metacpan.org/pod/LWP::UserAgent#credentials', 3, ['->credentials(']),
  ...certain('https://nodemcu.readthedocs.io/en/release/modules/mqtt/', 3, ['mqtt.client(']),
  ...certain('https://docs.oracle.com/en/database/oracle/oracle-database/23/arpls/UTL_HTTP.html', 2, [
    'utl_http.set_authentication(',
  ]),
  // A user, then the password.
  ...certain('https://pkg.go.dev/net/url#UserPassword', 1, ['url.userpassword(']),
  ...certain('https://docs.rs/ssh2/latest/ssh2/struct.Session.html#method.userauth_password', 1, [
    'userauth_password(',
    'auth_password(',
  ]),
  ...certain(
    'https://learn.microsoft.com/en-us/dotnet/api/microsoft.aspnetcore.identity.usermanager-1.createasync',
    1,
    ['usermanager.createasync(', 'addpasswordasync(', 'checkpasswordasync(', 'passwordsigninasync('],
  ),
  ...certain('https://www.mongodb.com/docs/manual/reference/method/db.changeUserPassword/', 1, [
    'changeuserpassword(',
    'change_user_password(',
  ]),
  ...entries({ argument: 1, source: 'https://github.com/dotnet/MQTTnet/wiki/Client' }, [
    'withcredentials(',
    'authenticateasync(',
    'withbasicauth(',
    'loginas(',
    'setcredentials(',
    'setbasicauth(',
  ]),
  ...entries(
    { argument: 1, first: DIRECTORY_NAME, source: 'https://pkg.go.dev/github.com/go-ldap/ldap/v3#Conn.Bind' },
    ['.bind('],
  ),
  ...certain('https://pypi.org/project/keyring/', 2, [
    'keyring.set_password(',
    'key_set_with_value(',
    'keytar.setpassword(',
  ]),
  // What is locked by a password alone.
  ...certain(
    'https://learn.microsoft.com/en-us/dotnet/api/system.security.cryptography.x509certificates.x509certificate2',
    1,
    ['x509certificate2(', 'privatekeyfile('],
  ),
  ...certain(
    'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/security/KeyStore.PasswordProtection.html',
    0,
    ['passwordprotection(', 'pbekeyspec('],
  ),
  ...certain('https://pkg.go.dev/golang.org/x/crypto/ssh#Password', 0, ['ssh.password(']),
  ...certain('https://hexdocs.pm/bcrypt_elixir/Bcrypt.html', 0, [
    'hash_pwd_salt(',
    'verify_pass(',
    'check_password(',
    'bcrypt.compare(',
    'bcrypt.comparesync(',
    'scryptsync(',
    'crypto.scrypt(',
    'pbkdf2sync(',
  ]),
  ...certain('https://docs.python.org/3/library/hashlib.html#hashlib.pbkdf2_hmac', 1, ['pbkdf2_hmac(']),
  ...entries({ argument: 1, source: 'https://cryptojs.gitbook.io/docs/' }, ['aes.encrypt(', 'aes.decrypt(']),
  ...entries(
    {
      argument: 0,
      certain: true,
      before: SHEET,
      source: 'https://learn.microsoft.com/en-us/office/vba/api/excel.worksheet.protect',
    },
    ['unprotect(', 'protect('],
  ),
  ...entries(
    {
      argument: 0,
      certain: true,
      behind: /^["']\) .{0,40}appendchar\(/,
      source: 'https://learn.microsoft.com/en-us/dotnet/api/system.security.securestring.appendchar',
    },
    ['char c in ', 'char ch in '],
  ),
  ...entries(
    {
      argument: 0,
      bare: true,
      certain: true,
      source: 'https://developer.apple.com/documentation/security/ksecvaluedata',
    },
    ['ksecvaluedata as string: ', 'ksecvaluedata as any: ', 'ksecvaluedata: '],
  ),
  ...entries(
    {
      argument: 0,
      behind: /^["'], forkey: ["'][\w.-]{0,24}(?:pass|pwd|secret|token)/,
      certain: true,
      source: 'https://github.com/evgenyneu/keychain-swift',
    },
    ['keychain.set('],
  ),
  // The data of a test, whose parameters stand below it.
  ...entries(
    {
      argument: 1,
      certain: true,
      behind: /^[^]{1,200}?\((?:string )?\w{1,16}, (?:string )?(?:\w{0,8}passw?o?r?d?|pwd|secret)\b/,
      reach: 240,
      source: 'https://xunit.net/docs/getting-started/v2/netcore/cmdline#write-first-theory',
    },
    ['inlinedata(', 'testcase(', 'datarow('],
  ),
  // Setters and builders.
  ...setters('https://docs.oracle.com/en/java/javase/21/docs/api/java.sql.rowset/javax/sql/rowset/BaseRowSet.html', [
    'setpassword(',
    'set_password(',
    'withpassword(',
    'with_password(',
    'setpasswd(',
    'set_passwd(',
    'setuserpassword(',
    '.password(',
  ]),
  // What a table keeps as a digest: `SET password = MD5('…')`.
  ...entries(
    {
      argument: 0,
      certain: true,
      before: /(?:pass(?:word|wd)?|pwd|sandi)(?:_?hash)?["'`\]]?\s{0,3}(?:=>?|:)\s{0,3}$/i,
      source: 'https://dev.mysql.com/doc/refman/8.4/en/encryption-functions.html#function_md5',
    },
    ['md5(', 'sha1(', 'sha2(', 'sha256(', 'sha512(', 'password(', 'crypt('],
  ),
  // Statements of SQL: their arguments have no brackets.
  ...entries(
    {
      argument: 1,
      bare: true,
      certain: true,
      source:
        'https://learn.microsoft.com/en-us/sql/relational-databases/system-stored-procedures/sp-addlogin-transact-sql',
    },
    ['sp_addlogin ', 'sp_password '],
  ),
  ...certain('https://www.postgresql.org/docs/current/pgcrypto.html', 1, [
    'pgp_sym_encrypt(',
    'pgp_sym_decrypt(',
    'aes_encrypt(',
    'aes_decrypt(',
    'encryptbypassphrase(',
    'decryptbypassphrase(',
  ]),
  ...entries(
    {
      argument: 0,
      certain: true,
      behind: /^', {0,2}gen_salt\(/,
      source: 'https://www.postgresql.org/docs/current/pgcrypto.html#PGCRYPTO-PASSWORD-HASHING-FUNCS',
    },
    ['crypt('],
  ),
  // Basic and Ruby.
  ...statements(
    'https://learn.microsoft.com/en-us/office/client-developer/access/desktop-database-reference/open-method-ado-connection',
    2,
    ['.open ', '.connect ', '.openconnection '],
  ),
  ...statements('https://docs.ruby-lang.org/en/3.4/Net/HTTPHeader.html#method-i-basic_auth', 1, [
    'basic_auth ',
    'basic_authorize ',
    '.login ',
    '.auth ',
    '.authenticate ',
  ]),
  ...entries(
    {
      argument: 0,
      bare: true,
      certain: true,
      before: SHEET,
      source: 'https://learn.microsoft.com/en-us/office/vba/api/excel.worksheet.unprotect',
    },
    ['unprotect ', 'protect '],
  ),
  // `user:password`, encoded or handed on.
  ...logins('https://curl.se/libcurl/c/CURLOPT_USERPWD.html', 0, ['curlopt_userpwd, ', 'curlopt_proxyuserpwd, ']),
  ...logins('https://developer.mozilla.org/en-US/docs/Web/API/Window/btoa', 0, [
    'btoa(',
    'b64encode(',
    'base64_encode(',
    'base64encode(',
    'encode64(',
    'utf8.encode(',
    'base64.encode(',
  ]),
  ...entries(
    {
      argument: 0,
      login: true,
      behind: /^["'`](?:, ?["']\w{3,8}["'])?\)\.tostring\(["']base64/,
      source: 'https://nodejs.org/api/buffer.html#static-method-bufferfromstring-encoding',
    },
    ['buffer.from('],
  ),
];
