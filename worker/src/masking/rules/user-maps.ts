import { isIn, WORD } from '../characters.ts';
import type { Finding, Verify } from '../finding.ts';
import { isTellingValue } from '../telling-value.ts';
import { chosen, type Rule } from './rule.ts';

const LONGEST_MAP = 320;
const MOST_USERS = 8;
/** `"budi": "…",` */
const USER = /^\s{0,24}["'`]?[A-Za-z][\w.@+-]{1,39}["'`]?\s{0,4}(?::|=>?)\s{0,4}(["'])([^"'\n]{5,64})\1\s{0,4}[,}\n]/;

/** Verifies at the brace of a map of users: what each is given, if it tells that it is a password. */
const verifyUsers: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), WORD)) return undefined;
  const text = window.peek(end, LONGEST_MAP);
  const found: Finding[] = [];
  let at = 0;
  for (let users = 0; users < MOST_USERS; users++) {
    const user = USER.exec(text.slice(at));
    if (user === null) break;
    const [whole, , value = ''] = user;
    const from = end + at + whole.lastIndexOf(value);
    if (isTellingValue(window, value, true)) found.push({ start: from, end: from + value.length });
    at += whole.length;
  }
  const [first, ...also] = found;
  return first === undefined || window.starved ? undefined : { ...first, also };
};

const NAMES = [
  'users',
  'user_passwords',
  'accounts',
  'logins',
  'valid_users',
  'basicauth',
  'basic_auth',
  'htpasswd',
  'auth',
];

/** Maps of users and their passwords, as programs that check a login by themselves have them. */
export const USER_MAPS: Rule = {
  name: 'user-map',
  type: 'key',
  anchors: NAMES.flatMap((name) => [`${name} = {`, `${name}: {`, `${name}": {`, `${name}' => {`, `${name}={`]),
  verify: verifyUsers,
  source: 'https://flask-httpauth.readthedocs.io/en/latest/#basic-authentication-examples',
  masks: [`users = {"admin": "${chosen}", "guest": "${chosen}"}`, `const users: { budi: '${chosen}' }`],
  keeps: [
    'users = {"admin": "editor", "guest": "reader2"}',
    "accounts: { budi: 'ID-2041-B' }",
    'auth: { type: "oauth2" }',
  ],
};
