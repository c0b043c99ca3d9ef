import { BLANK, CODE, COLON, DOT, isIn, QUOTE, SPACE, WORD } from '../characters.ts';
import { isCommonWord } from '../common-words.ts';
import { readServerName } from '../database-host.ts';
import type { Finding, Verify } from '../finding.ts';
import { CREDENTIAL_CALLS, type CredentialCall } from '../lexicon/credential-calls.ts';
import { isAppPassword, isMadeUp, isPassPhrase, isWordGiven } from '../made-up.ts';
import { isUncommonWords } from '../plain-words.ts';
import { isSureWords } from '../sure-words.ts';
import type { TextWindow } from '../text-window.ts';
import { isDrawnIn, isSecretIn, verdict } from '../verdicts.ts';
import { CHARACTERS } from './character-arrays.ts';
import { DATABASE_HOST } from './database-hosts.ts';
import { chosen, drawn, type Rule } from './rule.ts';

/** How far the arguments of a call are read, characters. */
const LONGEST_CALL = 192;
/** Calls inside the call: deeper ones are not read. */
const DEEPEST = 3;
const LONGEST_SECRET = 256;
const LONGEST_WRAPPER = 40;
/** How far behind a secret the name stands that says it is one. */
const REACH_BEHIND = 80;
const WRAPPING = WORD | DOT | COLON | BLANK;
/** What gives its argument back as the same secret: `Some("…")`, `String::from("…")`, `new Secret("…")`. */
const WRAPPER =
  /^new\s|(?:^|[.: ])(?:some|ok|string|from|of|valueof|new|data|secret|secretstring|bytes|getbytes|char|str)$/i;
/** `r"…"`, `rb'…'`, `N'…'`: the mark of a literal. */
const LONGEST_MARK = 2;

interface Literal {
  readonly start: number;
  readonly end: number;
}

/** Verifies at the bracket of a call that takes credentials: the secret is a literal, and the argument that its place says. */
const verifyCall: Verify = (window, start, end, anchor) => {
  const call = CREDENTIAL_CALLS.get(anchor);
  if (call === undefined || isNamedOtherwise(window, end, anchor) || !opensCall(window, start, end, call))
    return undefined;
  const stop = end + LONGEST_CALL;
  const isBare = call.bare === true;
  let at = end;
  let place = call.argument;
  let host: Finding | undefined;
  for (let argument = 0; argument <= place; argument++) {
    const literal = readLiteral(window, at);
    const next =
      literal === undefined ? endOfArgument(window, at, stop, isBare) : afterLiteral(window, literal.end, stop, isBare);
    const isNumber = literal === undefined && next > at && /^\s{0,16}\d{2,5}\s{0,8}$/.test(window.slice(at, next));
    if (argument === call.movedBy && isNumber) place++;
    else if (call.literals === true && literal === undefined) return undefined;
    if (argument === call.host && literal !== undefined) host = readHost(window, literal);
    if (next < 0) return host;
    const last = window.at(next) !== CODE.comma;
    if (
      call.behind !== undefined &&
      !(literal && call.behind.test(window.peek(literal.end, call.reach ?? REACH_BEHIND).toLowerCase()))
    )
      return undefined;
    if (argument === (last && argument === 0 ? (call.alone ?? place) : place)) {
      const isAlone = last && argument < place && call.certain !== true;
      const secret = call.login === true ? literal && behindUser(window, literal) : literal;
      const given = secret !== undefined && isGivenAt(window, secret, call, isAlone);
      return given && host !== undefined ? { ...host, also: [{ ...secret, rule: CALL }] } : given ? secret : host;
    }
    if (last) return host;
    at = next + 1;
  }
  return undefined;
};

/** What a call begins with beside its name: an object before it, a first argument of one kind, a quote where no bracket stands. */
function opensCall(window: TextWindow, start: number, end: number, { before, first, bare }: CredentialCall): boolean {
  if (bare === true && !BEGINS_ARGUMENT.test(window.peek(end, 1))) return false;
  if (before !== undefined && !before.test(window.left(start, LONGEST_OBJECT))) return false;
  return first === undefined || first.test(window.peek(end, LONGEST_FIRST));
}

const BEGINS_ARGUMENT = /["'\w$@]/;
const [LONGEST_OBJECT, LONGEST_FIRST] = [40, 12];

/** The password in `user:password`. */
function behindUser(window: TextWindow, { start, end }: Literal): Literal | undefined {
  const user = USER_IN_LOGIN.exec(window.slice(start, end));
  return user === null ? undefined : { start: start + user[0].length, end };
}

const USER_IN_LOGIN = /^[\w.@+-]{2,40}:(?=[^\s:/])/;

function readHost(window: TextWindow, { start, end }: Literal): Finding | undefined {
  const found = readServerName(window, start);
  return found?.end === end ? { ...found, rule: DATABASE_HOST } : undefined;
}

/** A longer name has its secret in another place. */
function isNamedOtherwise(window: TextWindow, end: number, anchor: string): boolean {
  const longer = LONGER_NAMES.get(anchor);
  if (longer === undefined) return false;
  const before = window.left(end, longer.longest).toLowerCase();
  return longer.names.some((name) => before.endsWith(name));
}

/** For each name that is the end of longer ones: these, and how long the longest is. */
const LONGER_NAMES: ReadonlyMap<string, { readonly names: readonly string[]; readonly longest: number }> = new Map(
  [...CREDENTIAL_CALLS.keys()].flatMap((name) => {
    const names = [...CREDENTIAL_CALLS.keys()].filter((other) => other !== name && other.endsWith(name));
    return names.length === 0 ? [] : [[name, { names, longest: Math.max(...names.map(({ length }) => length)) }]];
  }),
);

/** The literal that an argument begins with, whose quotes may be escaped; undefined for anything else. */
function readLiteral(window: TextWindow, from: number): Literal | undefined {
  let index = window.run(from, SPACE, 64);
  // Go's conversion.
  if (window.matches(index, '[]byte(')) index += 7;
  const word = window.run(index, WRAPPING, LONGEST_WRAPPER);
  if (word > index) {
    const wraps = window.at(word) === CODE.openParenthesis && WRAPPER.test(window.slice(index, word));
    if (!wraps && word - index > LONGEST_MARK) return undefined;
    index = wraps ? window.run(word + 1, SPACE, 8) : word;
  }
  const escaped = window.at(index) === CODE.backslash;
  const quote = window.at(escaped ? index + 1 : index);
  if (!isIn(quote, QUOTE)) return undefined;
  const start = index + (escaped ? 2 : 1);
  for (let end = start; end < start + LONGEST_SECRET; end++) {
    const code = window.at(end);
    if (code < CODE.space) return undefined;
    if (code === quote) return { start, end: escaped && window.code(end - 1) === CODE.backslash ? end - 1 : end };
    if (code === CODE.backslash && !escaped) end++;
  }
  return undefined;
}

/** The comma or bracket after a literal at `end`, where a method may be called on it: `"…".toCharArray()`. */
function afterLiteral(window: TextWindow, end: number, stop: number, isBare: boolean): number {
  const quote = window.at(end) === CODE.backslash ? end + 2 : end + 1;
  const next = endOfArgument(window, quote, stop, isBare);
  // Something joined to the literal makes it a part of the argument only.
  const code = window.at(window.run(quote, SPACE, 8));
  return code === CODE.plus || code === CODE.percent || code === CODE.question ? -1 : next;
}

/** The comma or the closing bracket that ends the argument, or the end of a statement without brackets; -1 where there is none within reach. */
function endOfArgument(window: TextWindow, from: number, stop: number, isBare: boolean): number {
  let depth = 0;
  for (let index = from; index < stop; index++) {
    const code = window.at(index);
    if (isBare && depth === 0 && (code < CODE.space || code === CODE.semicolon)) return index;
    if (code < 0 || code === CODE.semicolon) return -1;
    // A call inside a string has its own quotes escaped.
    if (code === CODE.backslash) index++;
    else if (isIn(code, QUOTE)) {
      const end = endOfQuoted(window, index, stop);
      if (end < 0) return -1;
      index = end;
    } else if (isOpening(code)) {
      if (++depth > DEEPEST) return -1;
    } else if (isClosing(code)) {
      if (depth === 0) return index;
      depth--;
    } else if (code === CODE.comma && depth === 0) return index;
  }
  return -1;
}

function endOfQuoted(window: TextWindow, from: number, stop: number): number {
  const quote = window.at(from);
  for (let index = from + 1; index < stop; index++) {
    const code = window.at(index);
    if (code < CODE.space) return -1;
    if (code === quote) return index;
    if (code === CODE.backslash) index++;
  }
  return -1;
}

function isOpening(code: number): boolean {
  return code === CODE.openParenthesis || code === CODE.openBracket || code === CODE.openBrace;
}

function isClosing(code: number): boolean {
  return code === CODE.closeParenthesis || code === CODE.closeBracket || code === CODE.closeBrace;
}

/** As `isGiven`; words alone where nothing but a password can stand. */
function isGivenAt(window: TextWindow, literal: Literal, call: CredentialCall, alone: boolean): boolean {
  if (isGiven(window, literal, alone)) return true;
  if (alone) return false;
  const value = window.slice(literal.start, literal.end);
  if (call.login === true) return verdict(window, 'sure words', value, isSureWords);
  if (call.certain !== true && (call.argument < PLACE_OF_LOGINS || call.literals === true))
    return (
      FOLLOWS_USER.test(window.left(literal.start, LONGEST_USER)) &&
      (/\s/.test(value) || followsName(window, literal.start)
        ? verdict(window, 'sure words', value, isSureWords)
        : verdict(window, 'uncommon words', value, isUncommonWords))
    );
  if (verdict(window, 'sure words', value, isSureWords)) return true;
  return /\s/.test(value)
    ? verdict(window, 'phrase at place', value, (phrase) => isPassPhrase(phrase, /\d/.test(phrase) ? 2 : 3))
    : verdict(window, 'word at place', value, isWordGiven);
}

/** Whether the user before it is the name of a person or an address of mail, and no word of a program. */
function followsName(window: TextWindow, start: number): boolean {
  const user = USER_BEFORE.exec(window.left(start, LONGEST_USER))?.[1] ?? '';
  return /[@.\d_]/.test(user) || (user.length > 3 && !isCommonWord(user.toLowerCase()));
}

const USER_BEFORE = /["']([\w.@+-]{2,48})["'](?:\.\w{2,12}\(\))?,\s{0,8}(?:\w[\w:[\]]{0,15}\()?@?["']$/;

/** A user in quotes, and the comma before the password. */
const FOLLOWS_USER =
  /[(,= ]\s{0,8}@?["'](?!(?:get|post|put|sha|md|aes|hs)\b)[\w.@+=,\\-]{2,48}["'](?:\.\w{2,12}\(\))?,\s{0,8}(?:some\(|string::from\(|\[\]byte\()?@?["']$/i;
const LONGEST_USER = 96;

/** Behind an address and a user nothing but a password follows. */
const PLACE_OF_LOGINS = 2;

/** A password by its grammar that letters alone do not make; where it is the only argument, one that was drawn. */
function isGiven(window: TextWindow, { start, end }: Literal, alone: boolean): boolean {
  const value = window.slice(start, end);
  if (isDrawnIn(window, value)) return true;
  // `anonymous@` is what public servers ask for.
  if (!alone && (verdict(window, 'made-up', value, isMadeUp) || verdict(window, 'app-password', value, isAppPassword)))
    return true;
  return (
    !alone &&
    !value.endsWith('@') &&
    /[^A-Za-z .,:/_-]/.test(value) &&
    isSecretIn(window, value, { name: 'password', quoted: true, environment: false, prose: false })
  );
}

/** Secrets that are arguments of calls, which no name announces: the function says which argument it is. */
const CALL: Rule = {
  name: 'call-secret',
  type: 'key',
  anchors: [...CREDENTIAL_CALLS.keys()],
  verify: verifyCall,
  source: 'https://docs.python.org/3/library/smtplib.html#smtplib.SMTP.login',
  masks: [
    `box.login("budi", "${chosen}")`,
    `sftp.ftp_login($c, 'budi', '${chosen}')`,
    `new Credentials("budi", "${chosen}".toCharArray())`,
    `client.basic_auth("budi", Some("${chosen}"))`,
    `Aws::Credentials.new('budi', '${chosen}')`,
    `createHmac('sha256', '${drawn}')`,
    'DBI->connect($dsn, "toko", "emping_melinjo")',
    `ssh.connect("nas", 22, "budi", "${chosen}")`,
    `signInWithEmailAndPassword(auth, 'budi@x.id', '${chosen}')`,
    `request.setValue("${drawn}", forHTTPHeaderField: "X-Api-Token")`,
  ],
  keeps: [
    'client.login(user, password)',
    `request.setValue("${drawn}", forHTTPHeaderField: "X-Request-Id")`,
    "createHmac('sha256', 'key')",
    'DBI->connect($dsn, "user", "password")',
    `signal.connect("a", on, "deploy", "${chosen}")`,
    "router.get('/login', 'login-page')",
    'box.login("budi", "wrong-password")',
    `ftp_login($c, '${chosen}', $pass)`,
    'passport.authenticate("google", { scope: ["email"] })',
    'new Foo.Credentials("budi", "<password1>")',
  ],
};

export const CALL_RULES: readonly Rule[] = [CALL, CHARACTERS];
