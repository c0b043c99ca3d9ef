import { BARE_VALUE } from '../characters.ts';
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
  /^(?:(?:the|your|our|my|its|his|her|their|a|new|old|current|temporary|actual|real|shared|default|initial|root|admin|guest|wi-?fi|wlan|user|database|db|staging|production|router|vpn|backup|master|das|dem|dein|unser|neues|ihr|le|la|ton|votre|notre|nouveau|tu|su|nueva|a|o|sua|nova|tua|het|uw|je|nieuw|il|baru|di) ){0,4}(?:password|passphrase|passcode|pass ?word|pwd|passwort|kennwort|wachtwoord|mot de passe|contraseña|senha|palavra-passe|clave|kata sandi|kata laluan|sandi|parola)(?:nya)?(?![\p{L}\d_-])/iu;

/** What opens the quotes that these close. */
const OPENS: Readonly<Record<string, string>> = { '»': '«', '”': '“„', '“': '„', '’': '‘' };

function isGivenAs(window: TextWindow, value: string): boolean {
  if (verdict(window, 'uncommon words', value, isUncommonWords)) return true;
  if (verdict(window, 'may be words', value, mayBeWords)) return true;
  return isThoughtUpIn(window, value) || (looksChosen(value) && isDrawnIn(window, value));
}

/** Verifies behind a quoted value that the sentence then names: "`…` as the password". */
const verifyNamedBehind: Verify = (window, start, end, anchor) => {
  const quote = window.code(start);
  const nounEnd = TURKISH.some((noun) => anchor.endsWith(noun))
    ? 0
    : NOUN_BEHIND.exec(window.peek(end, REACH))?.[0].length;
  if (nounEnd === undefined) return undefined;
  if (!anchor.includes('ş') && !anchor.includes('ı') && !endsNoun(window.peek(end + nounEnd, LONGEST_ENDING)))
    return undefined;
  const from = window.runBefore(start, BARE_VALUE, LONGEST);
  if (start - from < SHORTEST || start - from >= LONGEST) return undefined;
  const opens = OPENS[String.fromCharCode(quote)] ?? String.fromCharCode(quote);
  if (!opens.includes(String.fromCharCode(window.before(from - 1)))) return undefined;
  const value = window.slice(from, start);
  if (value.includes('***')) return undefined;
  return isGivenAs(window, value) ? { start: from, end: start } : undefined;
};

/** Behind the noun: the end of the clause, or what the password is for. */
const endsNoun = (text: string) => ENDS_CLAUSE.test(text) || IS_FOR.test(text);
const IS_FOR = /^ (?:of|for|field|box|prompt|für|von|zum|pour|du|de|del|do|da|voor|van|untuk) /;

const QUOTES_BEHIND = ['`', '"', "'", '”', '»'];
/** `… şifresiyle`: the noun follows its value. */
const TURKISH = ['şifresiyle', 'parolasıyla', 'şifresi ile', 'parolası ile', 'şifresini', 'parolasını'];
const JOINTS = [
  'the',
  'as',
  'in',
  'into',
  'als',
  'comme',
  'como',
  'come',
  'sebagai',
  'is',
  'ist',
  'est',
  'es',
  'adalah',
];
/**
 * Passwords that their sentence names behind them, in quotes: an anchor that begins with a blank would have a stream withhold
 * each word until the one behind it has begun.
 */
export const NAMED_BEHIND: Rule = {
  name: 'named-behind',
  type: 'key',
  anchors: [
    ...QUOTES_BEHIND.flatMap((quote) => TURKISH.map((noun) => `${quote} ${noun}`)),
    ...['`', '"', "'", '»', '”', '’'].flatMap((quote) => JOINTS.map((joint) => `${quote} ${joint} `)),
  ],
  verify: verifyNamedBehind,
  source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
  masks: ['Take user `press` and `sunflower` as the password.', `Keep "${chosen}" as your passphrase.`],
  keeps: [
    'Do not use `username` as the password.',
    'Treat the passphrase as the password field.',
    'Biometrics is the password of the future.',
    'It stores `null` as the password hash.',
  ],
};
