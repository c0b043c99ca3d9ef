import { BARE_VALUE, CODE, isIn, QUOTE } from '../characters.ts';
import type { Verify } from '../finding.ts';
import { JOINS_LOGIN, LOGIN_WORDS, TRADE_WORDS } from '../lexicon/values.ts';
import { isSecretIn } from '../verdicts.ts';
import { chosen, type Rule } from './rule.ts';

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
  const left = window.left(quote < 0 ? start - 1 : start, REACH);
  if (!namesLogin(left.slice(left.lastIndexOf('\n') + 1), quote < 0)) return undefined;
  let stop = end;
  while (stop < end + LONGEST && window.at(stop) !== quote && isIn(window.at(stop), BARE_VALUE)) stop++;
  if (
    quote >= 0 ? window.at(stop) !== quote : window.at(stop) > CODE.space && window.at(stop) !== CODE.closeParenthesis
  )
    return undefined;
  const last = quote >= 0 ? stop : window.trim(end, stop, '.,:;');
  const value = window.slice(end, last);
  if (value.length < SHORTEST || !CHOSEN.test(value) || !/[a-z]/i.test(value) || TRADE_WORDS.test(value))
    return undefined;
  if (quote < 0 && !MARKED.test(value)) return undefined;
  const isPassword = isSecretIn(window, value, { name: 'password', quoted: true, environment: false, prose: true });
  return isPassword ? { start: end, end: last } : undefined;
};

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
  return (LOGIN_WORDS.has(word) || signsIn) && (!joined || joints > 0);
}

export const LOGIN_PAIR_RULES: readonly Rule[] = [
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
