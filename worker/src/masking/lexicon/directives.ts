/** A word of a configuration or a protocol behind which a secret stands without an operator. */
export interface Directive {
  /** What its line holds before the word; without it the word is one of a sentence. */
  readonly before: RegExp;
  /** What may stand between the word and the secret. */
  readonly between?: RegExp;
  /** What stands behind the secret and before another one. */
  readonly beforeNext?: RegExp;
  /** In quotes, or none. */
  readonly quoted?: boolean;
  /** A login, of which what stands behind the colon is the secret. */
  readonly login?: boolean;
  /** Nothing stands behind the secret, which shows that a person or a generator made it. */
  readonly alone?: boolean;
  /** Words of a sentence stand there as well: what is given shows that it is none. */
  readonly made?: boolean;
  /** The word may be the end of a longer name: `db_password`. */
  readonly glued?: boolean;
  /** The word is written in capitals: what is given is a verb of a protocol. */
  readonly capitals?: boolean;
}

/** Cisco's type of what follows: as it is, or in a form that anybody can turn back. Of other types it is a hash. */
const TYPE = /(?:[067] )?/y;
export const GIVEN_TYPE = /[067] /y;
/** A user before the password, where there is one. */
const MAYBE_USER = /(?:[\w.-]{1,32} (?=[^\s]))?/y;
/** The same; `LOGIN` and `CRAM-MD5` are mechanisms of mail. */
const USER_BUT_NO_MECHANISM = /(?:PLAIN |LOGIN |[a-z][\w.-]{0,31} (?=\S))?(?![A-Z\d-]{1,20}(?:\s|$))/y;
/** A command that gives a name a value: `consul kv put app/`, `pulumi config set --secret db`. */
const SETS =
  /^(?:[$#>%] )?(?:sudo )?[\w./-]{2,24} (?:[\w.-]{1,24} ){0,3}(?:set|put)(?: --?[\w-]{1,24}){0,3} ["']?[\w./:-]{0,48}$/i;
const ALONE = /^[ \t]{0,8}(?:set )?$/;

/** By the word that wakes the rule, which a blank follows; of several forms the first that fits its line is taken. */
export const DIRECTIVES: ReadonlyMap<string, readonly Directive[]> = new Map<string, readonly Directive[]>([
  // Routers and switches: Cisco IOS, Juniper's Junos, FRRouting.
  [
    'secret',
    [
      { before: /^[ \t]{0,8}(?:enable|username \S{1,32}(?: privilege \d{1,2})?)(?: level \d{1,2})? $/, between: TYPE },
      { before: /\bkey-id \d{1,5} $/, quoted: true },
      // Junos and VyOS; BIND's keys.
      {
        before: /\b(?:radius-server \S{1,48}|authentication(?: psk \S{1,24})?|algorithm "?[\w-]{1,16}"?;) $/,
        quoted: true,
      },
    ],
  ],
  [
    'password',
    [
      {
        before:
          /^[ \t]{0,8}(?:enable(?: level \d{1,2})?|(?:vpdn )?username \S{1,32}(?: privilege \d{1,2})?|neighbor \S{1,48}|ppp (?:chap|pap sent-username \S{1,32})|area \S{1,20} authentication) $/,
        between: TYPE,
      },
      { before: ALONE, between: GIVEN_TYPE },
      { before: ALONE, alone: true },
      // Debian's installer and MySQL's administration.
      { before: /^(?:d-i \S{1,48} |(?:\$ )?(?:sudo )?mysqladmin [^\n]{0,64})$/, made: true },
      { before: SETS, made: true, glued: true },
      // An option as PowerShell writes it.
      { before: /^[^\n]{1,90} -$/, made: true },
      // NetworkManager's command line, and a login on one line as `.netrc` has it.
      { before: /^(?:\$ )?(?:sudo )?(?:nmcli [^\n]{0,76}|(?:machine \S{1,32} )?login \S{1,32} )$/, made: true },
    ],
  ],
  [
    'key',
    [
      {
        before:
          /^[ \t]{0,8}(?:(?:radius|tacacs)(?:-server)?(?: [\w.:-]{1,48}){0,6}|crypto isakmp|pre-shared-key address \S{1,48}(?: \S{1,20})?|server-private(?: [\w.:-]{1,48}){1,6}) $/,
        between: TYPE,
      },
      { before: ALONE, between: GIVEN_TYPE },
      // OpenWrt's settings.
      { before: /^[ \t]{0,8}option $/, quoted: true },
    ],
  ],
  ['pre-shared-key', [{ before: ALONE, between: /(?:(?:local|remote|ascii-text|hexadecimal) )?(?:[067] )?/y }]],
  ['key-string', [{ before: /^[ \t]{0,8}(?:\w{1,12} \d{1,4} authentication md5 )?$/, between: TYPE }]],
  ['md5', [{ before: /\b(?:message-digest-key|authentication-key|key-id|key) \d{1,5} $/, between: TYPE }]],
  ['ascii', [{ before: /\b(?:wpa-psk|pre-shared-key) $/, between: TYPE }]],
  ['ascii-text', [{ before: /\b(?:pre-shared-key|secret|password) $/ }]],
  ['plain-text-password', [{ before: /\bauthentication $/ }]],
  ['plain-text-password-value', [{ before: /\bauthentication $/ }]],
  ['community', [{ before: /^[ \t]{0,8}(?:set )?(?:snmp(?:-server)?|snmp-server host \S{1,48} .{0,24}) $/ }]],
  ['cipher', [{ before: /\bpassword $/ }]],
  ['irreversible-cipher', [{ before: /\bpassword $/ }]],
  ['plaintext', [{ before: /\bpassword manager user-name \S{1,32} $/ }]],
  ['plaintext-password', [{ before: /\bauthentication $/ }]],
  ['psksecret', [{ before: ALONE }]],
  ['passwd', [{ before: /^[ \t]{0,8}set $/ }]],
  ['insecure-password', [{ before: /^[ \t]{0,8}user \S{1,32} $/ }]],
  ['auth_pass', [{ before: ALONE }]],
  ['auth-pass', [{ before: /\bsentinel $/, between: MAYBE_USER }]],
  ['wpa-passphrase', [{ before: ALONE }]],
  ['rcon_password', [{ before: ALONE }]],
  ['rocommunity', [{ before: ALONE }]],
  ['rwcommunity', [{ before: ALONE }]],
  ['createuser', [{ before: ALONE, between: /\S{1,32} (?:MD5|SHA)\S{0,5} /y, beforeNext: /"? (?:AES|DES)\S{0,8} /y }]],
  // Virtual private networks and the login of a link: strongSwan's ipsec.secrets.
  [
    'psk',
    [
      { before: /^[^\n]{0,90}:[ \t]?$/, quoted: true },
      { before: /^(?:\$ )?(?:sudo )?nmcli [^\n]{0,76}\.$/, made: true },
    ],
  ],
  ['eap', [{ before: /^[^\n]{0,90}:[ \t]?$/, quoted: true }]],
  ['xauth', [{ before: /^[^\n]{0,90}:[ \t]?$/, quoted: true }]],
  // Directories, mail and proxies.
  ['rootpw', [{ before: ALONE, between: /(?:--plaintext )?/y }]],
  ...['remote_password', 'proxy_password', 'auth_password', 'smtp_password', 'bind_password', 'db_password'].map(
    (word): [string, Directive[]] => [word, [{ before: ALONE, alone: true }]],
  ),
  ...['user_pw', 'owner_pw'].map((word): [string, Directive[]] => [word, [{ before: /^(?:\$ )?pdftk [^\n]{0,80}$/ }]]),
  ['bindpw', [{ before: ALONE }]],
  ['bind_pw', [{ before: ALONE }]],
  // Protocols and prompts.
  [
    'auth',
    [
      { before: /^[ \t]{0,8}stats $/, login: true },
      {
        before: /^(?:[\w.:[\]-]{1,40}> ?|[$#>] (?:redis|valkey|keydb)-cli .{0,48}|(?:redis|valkey|keydb)-cli .{0,48})$/,
        between: MAYBE_USER,
      },
      { before: /^(?:C: )?$/, between: MAYBE_USER, capitals: true },
      { before: /^> $/, between: USER_BUT_NO_MECHANISM, capitals: true },
    ],
  ],
  [
    'pass',
    [
      { before: /^(?:C: |> |ftp> |-{1,3}> )?$/, capitals: true },
      // Mail: mbsync and fetchmail.
      { before: /^[ \t]{0,8}$/, quoted: true, made: true },
      { before: /\buser "?\S{1,48}"? (?:with |and |there with )?$/, quoted: true },
      { before: /^(?:\$ )?(?:sudo )?rclone config [^\n]{0,76}$/, made: true },
    ],
  ],
  ['password1', [{ before: /(?:^|; ?|\b[Bb]acklog [^\n]{0,80})$/, made: true }]],
  ['login', [{ before: /^(?:C: |> )?(?:[A-Za-z]{0,4}\d{1,5}|\.) $/, between: /\S{1,64} /y, capitals: true }]],
  ['identify', [{ before: /\bnickserv(?:@[\w.]{1,32})?:? $/i, between: MAYBE_USER }]],
  ['user', [{ before: /^ftp> $/, between: /\S{1,32} /y }]],
  ['setuser', [{ before: /^(?:[\w.:[\]-]{0,40}> ?)?acl $/i, between: /(?:[^\s>]{1,32} ){1,8}>/y }]],
  ['again:', [{ before: /^(?:re-?)?(?:enter|type) it $/i }]],
]);
