import { BARE_VALUE, CODE, isIn, QUOTE } from '../characters.ts';
import type { Verify } from '../finding.ts';
import { LOGIN_BEFORE, TRADE_WORDS } from '../lexicon/values.ts';
import { isSecretIn } from '../verdicts.ts';
import { chosen, type Rule } from './rule.ts';

/** How far before the pair the word may stand that says it is a login. */
const REACH = 72;
const SHORTEST = 6;
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
  const login = LOGIN_BEFORE.exec(left.slice(left.lastIndexOf('\n') + 1));
  if (login === null || (quote < 0 && !/[\w:=]/.test(login[1] ?? ''))) return undefined;
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
