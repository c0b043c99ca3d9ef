import { ALNUM, BARE_VALUE, BLANK, CODE, DASH, isIn, QUOTE, UNDERSCORE } from '../characters.ts';
import { readArgument } from '../command-argument.ts';
import type { Finding, Verify } from '../finding.ts';
import { isThoughtUpIn } from '../given-secret.ts';
import { JOINS_LOGIN, LOGIN_WORDS, NAMES_STANDARD, TRADE_WORDS } from '../lexicon/values.ts';
import { wordSet } from '../lexicon/word-set.ts';
import { isUncommonWords } from '../plain-words.ts';
import { isTellingValue } from '../telling-value.ts';
import type { TextWindow } from '../text-window.ts';
import { isDrawnIn, isSecretIn, verdict } from '../verdicts.ts';
import { isChosenWords, isLikelyWords } from '../words-at-place.ts';
import { chosen, drawn, type Rule } from './rule.ts';

/** How far before the pair the word may stand that says it is a login. */
const REACH = 72;
const SHORTEST = 6;
/** Words between a login and its user. */
const MOST_JOINTS = 3;
const LONGEST = 64;
/** A digit behind what is none: `100Mbit` and `-nghttp3` are no passwords. */
const CHOSEN = /^[^\d/.-]\D*\d/;
/** Without quotes `write2` is as well a word. */
const MARKED = /[!@#$%^&*_-]|[A-Z]|\d\D*\d/;

/**
 * Verifies at the slash between a user and a password: "the account is `operator` / `…`", "login: admin / …". A word of
 * logins stands before the pair, and what is masked holds a digit and speaks of nothing else.
 */
const verifyLoginPair: Verify = (window, start, end) => {
  const quote = isIn(window.code(end - 1), QUOTE) ? window.code(end - 1) : -1;
  if (quote < 0 && window.before(start - 1) !== CODE.space) return undefined;
  let stop = end;
  const letters = quote < 0 ? BARE_VALUE : BARE_VALUE | BLANK;
  while (stop < end + LONGEST && window.at(stop) !== quote && isIn(window.at(stop), letters)) stop++;
  if (quote >= 0 ? window.at(stop) !== quote : window.at(stop) > CODE.space && !ENDS_LOGIN.has(window.at(stop)))
    return undefined;
  const last = quote >= 0 ? stop : window.trim(end, stop, '.,:;');
  const value = window.slice(end, last);
  if (value.length < SHORTEST || !/[a-z]/i.test(value) || TRADE_WORDS.test(value)) return undefined;
  const left = window.left(quote < 0 ? start - 1 : start, REACH);
  const before = left.slice(left.lastIndexOf('\n') + 1);
  const named =
    namesLogin(before, quote < 0) ||
    OF_NETWORK.test(before) ||
    OF_MAILBOX.test(before) ||
    (JOINED_TO_USER.test(before) && SIGNS_IN.test(before)) ||
    isPairOfSignIn(before, window.peek(end, REACH));
  if (!named && !(PAIR_AHEAD.test(before) && LISTS_LOGINS.test(`${before} ${window.peek(end, REACH)}`)))
    return undefined;
  if (named && verdict(window, 'uncommon words', value, isUncommonWords)) return { start: end, end: last };
  if (/\s/.test(value))
    return named && verdict(window, 'likely words', value, isLikelyWords) ? { start: end, end: last } : undefined;
  if (named && OF_CREDENTIALS.test(before) && verdict(window, 'chosen words', value, isChosenWords))
    return { start: end, end: last };
  if (!CHOSEN.test(value)) return undefined;
  if (quote < 0 && !MARKED.test(value)) return undefined;
  if (!named) return isThoughtUpIn(window, value) ? { start: end, end: last } : undefined;
  if (isTellingValue(window, value, quote >= 0)) return { start: end, end: last };
  const isPassword = isSecretIn(window, value, { name: 'password', quoted: true, environment: false, prose: true });
  return isPassword ? { start: end, end: last } : undefined;
};

/** `Netflix: rina@toko.id / …` */
const OF_MAILBOX = /(?:^|[\s"'`(:])[\w.+-]{1,32}@[\w-]{1,32}\.[\w.]{2,16}["'`]?\s?$/;
/** A word before the user that joins it to a verb of signing in. */
const JOINED_TO_USER =
  /(?:\b(?:as|with|using|als|mit|comme|avec|como|con|com|met|sebagai|pakai|dengan|akun)|は|用|で)\s?["'`]?[A-Za-z][\w.-]{1,24}["'`]?\s?$/i;
/** `Wi-Fi: Kedai / …` */
const OF_NETWORK =
  /\b(?:wi-?fi|wlan|ssid|hotspot)(?: \p{L}{1,12}){0,2}[:=] {0,2}["'`*]{0,2}[\p{L}\d][\p{L}\d _.-]{1,30}["'`*]{0,2} ?$/iu;

/** "creds are rina / …": nothing but a password can follow. */
const OF_CREDENTIALS =
  /\b(?:credentials|creds|log-?in|zugangsdaten|credenciales|identifiants|kredensial)(?: \p{L}{1,12}){0,4}(?: (?:is|are|ist|sind|son|sont|adalah)|:) ["'`(]?[\w.@-]{2,32}["'`]?\s?$/iu;

/** A well-known account before the slash, on a line about signing in. */
function isPairOfSignIn(before: string, behind: string): boolean {
  if (!KNOWN_ACCOUNT.test(before)) return false;
  if (LISTED.test(before)) return true;
  return SIGNS_IN.test(before) || SIGNS_IN.test(behind.split('\n', 1)[0] ?? '');
}

/** `- Grafana: admin / …` */
const LISTED =
  /^\s{0,12}(?:(?:[-*•+]|\d{1,2}[.)]) )?[\p{Lu}*`][^\n/]{1,32}(?::\*{0,2}| [–—→-]|->) {1,3}["'`]?[\w.@-]{2,20}["'`]?\s?$/u;
const KNOWN_ACCOUNT =
  /(?:^|[\s"'`(,:：用])(?:admin|administrator|root|guest|operator|superuser|supervisor|manager|test|demo|pi|ubnt|user)["'`]?\s?$/i;
const SIGNS_IN =
  /\b(?:log(?:ged|s)?[ -]?(?:in|on)|sign(?:ed|s)? ?in|einlogg\w*|eingeloggt|anmeld\w*|angemeldet|inlogg\w*|ingelogd|masuk|entr[aeo]r?|accede[rs]?|acess\w*|accedi)\b|connect[ée]|вой(?:ди|ти)|вошёл|登[录入陆]|ログイン|サインイン|로그인/iu;

/** A user before the slash. */
const PAIR_AHEAD = /(?:^|[\s"'`(,])[a-z][a-z\d._@-]+["'`]? ?$/;
/** What the line says of its pairs. */
const LISTS_LOGINS = /\b(?:passwords|accounts|logins|credentials)\b/i;

/** `curl_easy_setopt(curl, CURLOPT_USERPWD, "budi:…")` */
const verifyUserPassword: Verify = (window, _start, end) => {
  const sign = /^["']?\)?\s{0,4}(?:,|=>|[:=])\s{0,8}(?=["'][^"'\s:]{1,48}:)/.exec(window.peek(end, REACH));
  return sign === null ? undefined : readArgument(window, end + sign[0].length, ':');
};

/** What may stand between a word of logins and the user, and the user with the mark or word before the password. */
const LOGIN_IN_LIST =
  /^(?:for [\w -]{1,24}: |: )?(?:user(?:name)? )?["'`]?[\w.@+-]{2,40}["'`]?, (?:then )?["'`]?(?=\S)/i;
const LOGIN_AHEAD =
  /^(?:(?:is|are|was|as|with|using|of|dengan|sebagai|adalah|ist|lautet|mit|est|avec|es|con|com|met|als|default|the|for|to|kannst|du|dich|sich|sie|pengguna|user|user) |[:=] ?){0,5}["'`(*]{0,2}[A-Za-z][\w.-]{1,24}(?:[:/]|["'`*]{0,2} (?:with|using|and|dengan|mit|avec|con|und|dan|et|y|e|en|met) (?:the )?(?:password |sandi )?["'`*]{0,2})/i;

/** Verifies at a word of logins: "the default login is root:…", "log in as root with …". */
const verifyLoginAhead: Verify = (window, start, end, anchor) => {
  if (anchor === 'login ') window.lastNamed = start;
  if (isIn(window.before(start - 1), ALNUM) || isIn(window.before(start - 1), UNDERSCORE | DASH)) return undefined;
  const text = window.peek(end, REACH);
  const ahead = LOGIN_AHEAD.exec(text);
  if (ahead === null) return readSecondOfList(window, end, LOGIN_IN_LIST.exec(text));
  const from = end + ahead[0].length;
  if (window.at(from) <= CODE.space || window.at(from) === CODE.colon || window.at(from) === CODE.slash)
    return undefined;
  const run = window.run(from, BARE_VALUE, LONGEST);
  const last = window.trim(from, run, '.,:;?*');
  const value = window.slice(from, last);
  if (window.at(run) > CODE.space && !isIn(window.at(run), QUOTE) && !ENDS_LOGIN.has(window.at(run))) return undefined;
  if (value.length < SHORTEST) return undefined;
  if (verdict(window, 'uncommon words', value, isUncommonWords))
    return IN_PLURAL.test(`${ahead[0]} ${value}`) ? undefined : { start: from, end: last };
  if (!isMixed(value) || NO_LOGIN.test(value)) return undefined;
  if (NAMES_STANDARD.test(value) || TRADE_WORDS.test(value)) return undefined;
  const isPassword = isSecretIn(window, value, { name: 'password', quoted: true, environment: false, prose: true });
  return isPassword ? { start: from, end: last } : undefined;
};

/** `credentials for the NAS: backup, …`: a list of two, the second of which tells. */
function readSecondOfList(window: TextWindow, from: number, lead: RegExpExecArray | null): Finding | undefined {
  if (lead === null) return undefined;
  const start = from + lead[0].length;
  const end = window.trim(start, window.run(start, BARE_VALUE, LONGEST), '.,:;');
  return isTellingValue(window, window.slice(start, end)) ? { start, end } : undefined;
}

/** `with passkeys and biometrics`: means to sign in by. */
const IN_PLURAL = /s (?:and|und|et|y|e|en|dan) {1,2}[a-z]+s$/;

/** Letters and digits, with a mark, a capital and two digits, or three digits. */
function isMixed(value: string): boolean {
  const digits = value.replaceAll(/\D/g, '').length;
  if (digits === 0 || !/[A-Za-z]/.test(value)) return false;
  // `Sup3rGeheim`: a digit inside a word.
  if (/[a-z]\d[a-z]/.test(value) && /[A-Z]/.test(value)) return true;
  return digits > 2 || (digits === 2 && /[A-Z]/.test(value)) || /[!@#$%^&*+=~]/.test(value);
}

/** A path, an address, a port, a name of code or an address of mail. */
const NO_LOGIN = /[/:]|^\d|\.\w+@|@[\w-]+\.|^[a-z]+(?:[._-][a-z\d]+)*$/;
const ENDS_LOGIN: ReadonlySet<number> = new Set([CODE.comma, CODE.closeParenthesis, CODE.semicolon]);

/** A word of logins, what joins it to a user (a colon or a verb where `joined`), and the user at the end. */
function namesLogin(before: string, joined: boolean): boolean {
  const words = before.toLowerCase().split(/[^\p{L}\d.@_-]+/u);
  const user = words.pop() ?? '';
  if (user.length < 2 || !/^[a-z]/.test(user)) return false;
  let joints = /[:=：]/.test(before.slice(-user.length - 4)) ? 1 : 0;
  let at = words.length - 1;
  for (; at >= 0 && at >= words.length - MOST_JOINTS && JOINS_LOGIN.has(words[at] ?? ''); at--) joints++;
  const word = words[at] ?? '';
  const signsIn = (word === 'sign' || word === 'log') && words[at + 1] === 'in';
  if ((LOGIN_WORDS.has(word) || signsIn) && (!joined || joints > 0)) return true;
  // `Credentials for the demo box are …`
  return PLURAL_VERBS.has(words[at + 1] ?? '') && words.slice(-LONGEST_SUBJECT).some((one) => CREDENTIALS.has(one));
}

const LONGEST_SUBJECT = 8;
const PLURAL_VERBS = wordSet('are is adalah sind son sont');
const CREDENTIALS = wordSet('credentials creds login logins kredensial zugangsdaten credenciales identifiants');

/** Verifies at the account that a program brings along: `elastic:…`, if what follows is drawn. */
const verifyWellKnown: Verify = (window, start, end, anchor) => {
  const before = window.before(start - 1);
  if (before !== CODE.space && !isIn(before, QUOTE)) return undefined;
  const run = window.run(end, BARE_VALUE, LONGEST);
  const last = window.trim(end, run, '.,:;?*');
  if (window.at(run) > CODE.tilde) return undefined;
  const value = window.slice(end, last);
  if (anchor.endsWith('/') || LISTED_LOGIN.test(window.left(start, 24)))
    return (anchor.endsWith(':') || GIVEN_TO.test(window.left(start, 24))) && isTellingValue(window, value)
      ? { start: end, end: last }
      : undefined;
  if (last - end < SHORTEST_DRAWN) return undefined;
  return isDrawnIn(window, value) && !/^[\da-f-]+$|[/:]/i.test(value) ? { start: end, end: last } : undefined;
};

const SHORTEST_DRAWN = 12;
/** `- admin:…`: the pair begins its line of a list. */
const LISTED_LOGIN = /(?:^|\n)[ \t]{0,8}[-*•] ["'`]?$/;
/** `reach it with admin/…` */
const GIVEN_TO =
  /(?:\b(?:with|as|using|login|credentials|creds|default|mit|avec|con|com|met|dengan|pakai)|[:(])\s?["'`(]?$/i;

export const LOGIN_PAIR_RULES: readonly Rule[] = [
  {
    name: 'user-and-password',
    type: 'key',
    anchors: ['userpwd', 'userpass', 'user_pass'],
    verify: verifyUserPassword,
    source: 'https://curl.se/libcurl/c/CURLOPT_USERPWD.html',
    masks: [`curl_easy_setopt(curl, CURLOPT_USERPWD, "budi:${chosen}");`, `CURLOPT_USERPWD => 'budi:${chosen}',`],
    keeps: ['CURLOPT_USERPWD, userpwd', 'CURLOPT_USERPWD, "user:password"', 'userpass = "budi"'],
  },
  {
    name: 'well-known-login',
    type: 'key',
    anchors: ['elastic:', 'admin:', 'root:', 'postgres:', 'neo4j:', 'rabbitmq:', 'admin/', 'root/', 'guest/'],
    verify: verifyWellKnown,
    source: 'https://www.elastic.co/guide/en/elasticsearch/reference/current/built-in-users.html',
    masks: [`try it with elastic:${drawn} please`, 'reach it with admin/birdhouse2019', '- admin:birdhouse2019'],
    keeps: ['root:x:0:0:root:/root:/bin/bash', 'the image admin:2024-01-02 is old', 'chown root:staff4 x'],
  },
  {
    name: 'login-ahead',
    type: 'key',
    anchors: [
      'login ',
      'login: ',
      'test user: ',
      'test account: ',
      'zugangsdaten: ',
      'login-daten: ',
      'logins ',
      'credentials ',
      'credentials: ',
      'creds ',
      'creds: ',
      'log in ',
      'logged in ',
      'sign in ',
      'masuk ',
      'kredensial ',
      'anmeldung ',
      'anmelden ',
      'angemeldet ',
      'inloggen ',
      'log je in ',
      'zugang ',
    ],
    verify: verifyLoginAhead,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: [
      `The default login is root:${chosen} for all cameras.`,
      `Anmeldung als root mit ${chosen}.`,
      `kredensial admin:${chosen}`,
    ],
    keeps: [
      'docker login localhost:5000x12A',
      'login is http://example.com/a1B2',
      'the login command of 2024',
      'log in as root with sha256sum',
      'credentials file: a1.json',
      'sign in with OAuth2 and PKCE',
      'login service:v1.2.3',
    ],
  },
  {
    name: 'login-pair',
    type: 'key',
    anchors: ['` / `', '`/`', '" / "', "' / '", '/ '],
    verify: verifyLoginPair,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: [`the default account is \`operator\` / \`${chosen}\``, `login: admin / ${chosen}`],
    keeps: [
      'the account page shows `orders` / `invoices2025`/`x`',
      'login: budi / required',
      'login: GET / POST',
      'the user may enable `-nghttp3`/`-ngtcp2`',
      'speed of the account: 10 / 100Mbit',
      'login: read / write2',
    ],
  },
];
