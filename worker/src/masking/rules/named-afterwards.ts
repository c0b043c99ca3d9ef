import { BARE_VALUE, isIn, LETTER, QUOTE } from '../characters.ts';
import type { Verify } from '../finding.ts';
import { isThoughtUpIn } from '../given-secret.ts';
import { ENDS_CLAUSE, LONGEST_ENDING } from '../lexicon/access.ts';
import { isUncommonWords, mayBeWords } from '../plain-words.ts';
import { looksChosen } from '../sentence-words.ts';
import type { TextWindow } from '../text-window.ts';
import { isDrawnIn, verdict } from '../verdicts.ts';
import { chosen, type Rule } from './rule.ts';

const [SHORTEST, LONGEST] = [4, 64];
/** How far behind the value its noun may end. */
const REACH = 56;
/** What joins a value to the noun behind it, and the noun, in several languages. */
const NOUN_BEHIND =
  /^(?:(?:the|your|our|my|its|his|her|their|a|new|old|current|temporary|shared|default|initial|root|admin|guest|wi-?fi|wlan|user|das|dem|dein|unser|neues|ihr|le|la|ton|votre|notre|nouveau|tu|su|nueva|a|o|sua|nova|tua|het|uw|je|nieuw|il|baru|di) ){0,3}(?:password|passphrase|passcode|pass ?word|pwd|passwort|kennwort|wachtwoord|mot de passe|contraseña|senha|palavra-passe|clave|kata sandi|kata laluan|sandi|parola)(?:nya)?(?![\p{L}\d_-])/iu;

/** What opens the quotes that these close. */
const OPENS: Readonly<Record<string, string>> = { '»': '«', '”': '“„', '“': '„', '’': '‘' };

function isGivenAs(window: TextWindow, value: string, quoted: boolean): boolean {
  if (verdict(window, 'uncommon words', value, isUncommonWords)) return true;
  if (quoted && verdict(window, 'may be words', value, mayBeWords)) return true;
  return isThoughtUpIn(window, value) || (looksChosen(value) && isDrawnIn(window, value));
}

/** Verifies behind a value that the sentence then names: "`…` as the password", "… is the password of the router". */
const verifyNamedBehind: Verify = (window, start, end, anchor) => {
  const quote = window.code(start);
  const quoted = isIn(quote, QUOTE) || OPENS[String.fromCharCode(quote)] !== undefined;
  // Without quotes the anchor ends in the noun; in quotes any of them may follow.
  const nounEnd =
    quoted && !TURKISH.some((noun) => anchor.endsWith(noun))
      ? NOUN_BEHIND.exec(window.peek(end, REACH))?.[0].length
      : 0;
  if (nounEnd === undefined || (!quoted && isIn(window.at(end), LETTER))) return undefined;
  const isSubject = /(?: is | ist | est | es | adalah )/.test(anchor);
  if (!anchor.includes('ş') && !anchor.includes('ı') && !endsNoun(window.peek(end + nounEnd, LONGEST_ENDING)))
    return undefined;
  const from = window.runBefore(start, BARE_VALUE, LONGEST);
  if (start - from < SHORTEST || start - from >= LONGEST) return undefined;
  const opens = OPENS[String.fromCharCode(quote)] ?? String.fromCharCode(quote);
  if (
    quoted
      ? !opens.includes(String.fromCharCode(window.before(from - 1)))
      : isIn(window.before(from - 1), QUOTE | LETTER)
  )
    return undefined;
  const value = window.slice(from, start);
  if (value.includes('***') || (isSubject && !quoted && !/\d/.test(value))) return undefined;
  return isGivenAs(window, value, quoted) ? { start: from, end: start } : undefined;
};

/** Behind the noun: the end of the clause, or what the password is for. */
const endsNoun = (text: string) => ENDS_CLAUSE.test(text) || IS_FOR.test(text);
const IS_FOR = /^ (?:of|für|von|zum|pour|du|de|del|do|da|voor|van|untuk) /;

const QUOTES_BEHIND = ['`', '"', "'", '”', '»'];
/** `… şifresiyle`: the noun follows its value. */
const TURKISH = ['şifresiyle', 'parolasıyla', 'şifresi ile', 'parolası ile', 'şifresini', 'parolasını'];
const JOINTS = ['as', 'als', 'comme', 'como', 'come', 'sebagai', 'is', 'ist', 'est', 'es', 'adalah'];
const UNQUOTED = [
  ' as the password',
  ' as password',
  ' as the passphrase',
  ' als passwort',
  ' als kennwort',
  ' als wachtwoord',
  ' comme mot de passe',
  ' como contraseña',
  ' como clave',
  ' como senha',
  ' come password',
  ' sebagai kata sandi',
  ' sebagai sandi',
  ' sebagai password',
];

/** Passwords that their sentence names behind them. */
export const NAMED_BEHIND: Rule = {
  name: 'named-behind',
  type: 'key',
  anchors: [
    ...QUOTES_BEHIND.flatMap((quote) => TURKISH.map((noun) => `${quote} ${noun}`)),
    ...['`', '"', "'", '»', '”', '’'].flatMap((quote) => JOINTS.map((joint) => `${quote} ${joint} `)),
    ...UNQUOTED,
  ],
  verify: verifyNamedBehind,
  source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
  masks: [
    'Take user `press` and `sunflower` as the password.',
    'Sign in with gerimisungu as the password, then change it.',
    'Nimm sonnenblumenkern als Passwort.',
    `Keep "${chosen}" as your passphrase.`,
  ],
  keeps: [
    'Do not use `username` as the password.',
    'Treat the passphrase as the password field.',
    'Biometrics is the password of the future.',
    'It stores `null` as the password hash.',
  ],
};
