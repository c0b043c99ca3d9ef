import { isIn, LETTER } from '../characters.ts';
import type { Finding, Verify } from '../finding.ts';
import { ENDS_CLAUSE, INTRODUCES_WORD, JOINS_PASSWORD, JOINS_USER, LONGEST_ENDING, USER } from '../lexicon/access.ts';
import { NETWORKS, OPENS, SIGNS_IN } from '../lexicon/access-verbs.ts';
import { GETS_IN, GETS_SOMEWHERE } from '../lexicon/getting-in.ts';
import { isUncommonWords } from '../plain-words.ts';
import { isTellingValue } from '../telling-value.ts';
import type { TextWindow } from '../text-window.ts';
import { verdict } from '../verdicts.ts';
import type { Rule } from './rule.ts';
import {
  isGivenInSentence,
  REACH,
  readGiven,
  readNumberGiven,
  sentenceBefore,
  sentenceBehind,
} from './sentence-values.ts';

/**
 * Sentences about access that give a password without its name: somebody signs in "as … with …", a network "is called …,
 * and you get on with …", something "opens with the word …", and a number is typed on what locks.
 */

/** Verifies at what says that somebody signs in: as whom, and with what. */
const verifySignsIn: Verify = (window, start, end, anchor) => {
  if (isIn(window.before(start - 1), LETTER)) return undefined;
  if (isIn(window.at(end), LETTER) && !anchor.endsWith(' ')) return undefined;
  const sentence = sentenceBehind(window, end);
  const pair = IN_BRACKETS.exec(sentence);
  if (pair !== null) {
    const [whole, user = '', value = ''] = pair;
    const from = end + pair.index + whole.length - value.length;
    if (!NO_USER.test(user) && isGivenBeside(window, value)) return { start: from, end: from + value.length };
  }
  JOINS_USER.lastIndex = 0;
  for (let joints = 0; joints < MOST_JOINTS; joints++) {
    const joint = JOINS_USER.exec(sentence);
    if (joint === null) return undefined;
    const found = readLogin(window, end, sentence, JOINS_USER.lastIndex, AS_WHOM.test(joint[0]));
    if (found !== undefined) return found;
  }
  return undefined;
};

/** `log into Grafana (admin, …)` */
const IN_BRACKETS = /\(["'`]?([\w.@-]{2,32})["'`]?(?:, ?| ?\/ ?|:)["'`]?([^\s"'`(),]{5,40})(?=["'`]?\))/;

function isGivenBeside(window: TextWindow, value: string): boolean {
  return isTellingValue(window, value) || verdict(window, 'uncommon words', value, isUncommonWords);
}

const AS_WHOM = /(?:as|als|unter|comme|sous|como|come|onder|sebagai|как|под)$/i;
const GIVES_PASSWORD =
  /with|using|mit|avec|con|com|met|dengan|[сc] ?$|[/|:]|pass|kenn|wacht|clave|contra|senha|sandi|парол/i;
const MOST_JOINTS = 4;

function readLogin(
  window: TextWindow,
  from: number,
  sentence: string,
  at: number,
  isWhom: boolean,
): Finding | undefined {
  USER.lastIndex = at;
  const user = USER.exec(sentence);
  if (user === null || NO_USER.test(user[2] ?? '')) return undefined;
  JOINS_PASSWORD.lastIndex = USER.lastIndex;
  const joint = JOINS_PASSWORD.exec(sentence);
  // "as admin and editor" are two users.
  if (joint === null || (isWhom && !GIVES_PASSWORD.test(joint[0]))) return undefined;
  const given = readGiven(window, from + JOINS_PASSWORD.lastIndex);
  if (given === undefined) return undefined;
  // Of two names in code quotes the second is one of code as often, where neither a mark nor a preposition parts them.
  const isPair = user[1] !== '' ? given.quote !== '' : true;
  if (!isPair || IN_PLURAL.test(`${user[2]} ${given.value}`) || !isGivenInSentence(window, given)) return undefined;
  return { start: given.start, end: given.end };
}

/** What people sign in with that is no user: means, services, and what is their own. */
const NO_USER =
  /^(?:your|you|my|his|her|their|our|this|that|these|those|an?|any|each|both|either|one|two|single|multi\w*|e-?mail|google|github|gitlab|facebook|apple|microsoft|azure|okta|sso|oauth2?|saml|ldap|passkeys?|biometrics?|password|username|credentials?|keys?|ssh|tokens?|cookies?|ihr\w*|dein\w*|su|tu|sua|seu|votre|ton|uw|je|kata|nama)$/i;
/** `with passkeys and biometrics` */
const IN_PLURAL = /s [a-z]+s$/;

/** Verifies at the name of a wireless network, or at what it is: what gets people onto it. */
const verifyNetwork: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), LETTER) || isIn(window.at(end), LETTER)) return undefined;
  const sentence = sentenceBehind(window, end);
  const named = NETWORK_NAMED.exec(sentence) ?? NETWORK_IS.exec(sentence);
  GIVES.lastIndex = named === null ? 0 : named.index + named[0].length;
  for (let verbs = 0; verbs < MOST_JOINTS; verbs++) {
    if (GIVES.exec(sentence) === null) return undefined;
    const given = readGiven(window, end + GIVES.lastIndex);
    if (given === undefined || (named === null && !IN_QUOTES_OF_PROSE.test(given.quote))) continue;
    if (named === null && !GETS_ON.test(sentence)) return undefined;
    if (isGivenInSentence(window, given)) return { start: given.start, end: given.end };
  }
  return undefined;
};

const NETWORK_NAMED =
  /^\s?["'«„“「]\p{Lu}[\p{L}\d _-]{1,23}["'»“”」](?=,)|(?:called|named|heißt|se llama|s'appelle|si chiama|heet|se chama|bernama|namanya|называется|叫|:|：)\s?["'`«„“「*_]{0,2}[\p{L}\d][\p{L}\d _-]{0,23}?["'`»“”」*_]{0,2}(?=[,;，、]| (?:and|y|und|et|e|en|dan|и|ve|with|mit)\b)/iu;
const NETWORK_IS =
  /(?:is|ist|est|es|é|è)(?: now| jetzt| maintenant| ahora| agora| nu| adesso)? ?["'`«„“「*_]{0,2}\p{Lu}[\p{L}\d _-]{1,23}?["'`»“”」*_]{0,2}(?=[,;]| (?:and|y|und|et|e|en|with|mit)\b)/u;
const GIVES =
  /(?:^|[\s,(，])(?:with|using|use|enter|type|(?:key|schlüssel|clé|clave|chave|chiave|sleutel|kuncinya)(?: is| ist| est| es| é| è|:)?(?= ["'`«„“]| \S+[.,]?$| \S+\d)|(?:key|schlüssel|clé|clave|chave|chiave|sleutel|kuncinya) (?:is|ist|est|es|é|è)|mit|con|pones|escribes?|pon|avec|tapez|tape|com|coloca|coloque|met|dengan|pakai|с|через|ile)(?: (?:the|dem|la|le|el|a|o|het) (?:password|word|passwort|kennwort|clave|senha|mot de passe|wachtwoord|sandi))?:?\s/giu;
const IN_QUOTES_OF_PROSE = /^["«„“「『]$/;
const GETS_ON =
  /\b(?:get|gets|got|connect|connects|join|joins|log|sign|kommt|kommst|kommen|verbind\w{0,3}|einloggen|rein|conectas?|conectar\w{0,2}|entras?|entrar|connecte[rz]?|accédez|inloggen|verbinden|masuk|tersambung|terhubung|connettersi|collegarsi|entri)\b|подключ|заход/iu;

/** Verifies at what says that somebody gets in, and at `kommt man`, where the place follows. */
const verifyGetsIn: Verify = (window, start, end, anchor) => {
  if (isIn(window.before(start - 1), LETTER)) return undefined;
  let from = end;
  if (!anchor.endsWith(' ')) {
    const means = MEANS.exec(window.peek(end, REACH));
    if (means === null) return undefined;
    from += means[0].length;
  }
  const given = readGiven(window, from);
  if (given === undefined || !isGivenInSentence(window, given)) return undefined;
  return { start: given.start, end: given.end };
};

/** `nur noch mit … ins Archiv`, `mit … rein` */
const MEANS =
  /^ (?:\p{L}{1,12} ){0,4}mit (?:dem (?:Wort|Passwort|Kennwort) )?(?=["„“«`]{0,2}[^\s"“»`]{5,32}["“”»`]{0,2} (?:ins?|in (?:den|die|das)|auf(?: den| die| das)?|rein|hinein|herein|weiter|dran|an)(?![\p{L}]))/u;

/** Verifies at what opens something: "opens with the word …", "opens with 0742". */
const verifyOpens: Verify = (window, start, end, anchor) => {
  if (isIn(window.before(start - 1), LETTER)) return undefined;
  const number = readNumberGiven(window, end);
  if (number !== undefined) return number;
  let from = end;
  let introduced = false;
  for (let words = 0; words < MOST_INTRODUCTIONS; words++) {
    const word = /^(\p{L}{1,9}) /u.exec(window.peek(from, LONGEST_INTRODUCTION))?.[1];
    if (word === undefined) break;
    const isNoun = INTRODUCES_WORD.has(word.toLowerCase());
    if (!isNoun && !ARTICLE.test(word)) break;
    introduced ||= isNoun;
    from += word.length + 1;
  }
  const given = readGiven(window, from);
  if (given === undefined || !(UNLOCKS.test(anchor) || OPENABLE.test(sentenceBefore(window, start)))) return undefined;
  // What a program is called stands there as well: without quotes the value tells.
  if (!introduced && !IN_QUOTES_OF_PROSE.test(given.quote)) {
    const ends = given.quote !== '' || ENDS_CLAUSE.test(window.peek(given.end, LONGEST_ENDING));
    return ends && isTellingValue(window, given.value, given.quote !== '')
      ? { start: given.start, end: given.end }
      : undefined;
  }
  return isGivenInSentence(window, given) ? { start: given.start, end: given.end } : undefined;
};

const UNLOCKS = /^(?:unlock|decrypt|entsperr|desbloque|déverrouill|sblocc|ontgrendel)/;
const OPENABLE =
  /archive|zip|pdf|attachment|document|file|folder|anhang|datei|fichier|dossier|pièce jointe|adjunto|fichero|anexo|allegato|bestand|bijlage|lampiran|berkas|файл|вложени|vault|safe|drive|disk|volume|container|backup|wallet|phone|laptop|tablet|screen|lock|door|gate|account|archiv|tresor|laufwerk|platte|handy|rechner|schloss|coffre|archivo|cofre|caja|ordenador|móvil|celular|bóveda|arquivo|armadio|cassaforte|kluis|schijf|telefoon|arsip|brankas|ponsel|архив|сейф|диск|телефон|ноутбук|kasa|arşiv|压缩包|金庫/iu;
const [MOST_INTRODUCTIONS, LONGEST_INTRODUCTION] = [4, 12];
const ARTICLE = /^(?:the|this|one|secret|dem|das|geheime?n?|la|le|el|l|a|il|het|de|secreta?|rahasia)$/i;

/** Sentences that say how somebody gets in somewhere. */
export const ACCESS_RULES: readonly Rule[] = [
  {
    name: 'sign-in-sentence',
    type: 'key',
    anchors: SIGNS_IN.flatMap((verb) => (verb.length < 6 ? [`${verb} `] : [verb])),
    beginsWord: true,
    verify: verifySignsIn,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: [
      'I logged in to the mail box as svc_scan with gerimisungu and it worked.',
      'Entra en el panel con el usuario `taller` y `gerimisungu`.',
      'Angemeldet wird mit `werk` und `Zwetschgendatschi`.',
    ],
    keeps: [
      'Log in with your e-mail and password.',
      'Sign in as admin with sudo.',
      'Log in as root with caution.',
      'sign in with GitHub and Okta',
      'You are logged in as `admin` and `editor`.',
    ],
  },
  {
    name: 'network-sentence',
    type: 'key',
    anchors: NETWORKS,
    beginsWord: true,
    verify: verifyNetwork,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: [
      'The Wi-Fi of the attic is called Kranich and you connect with gerimisungu.',
      'Ins WLAN kommt ihr mit „Zwetschgendatschi“ rein.',
    ],
    keeps: [
      'You can connect to the WiFi with `nmcli`.',
      'The Wi-Fi is slow, with dropouts every hour.',
      'Wi-Fi is called 802.11 and comes with encryption.',
    ],
  },
  {
    name: 'getting-in',
    type: 'key',
    anchors: [...GETS_IN, ...GETS_SOMEWHERE],
    beginsWord: true,
    verify: verifyGetsIn,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: ['You get in with gerimisungu, all small letters.', 'Seit gestern kommt man mit Zwetschge7 ins Lager.'],
    keeps: ['You get in with a badge.', 'Damit kommt man mit dem Zug ins Lager.'],
  },
  {
    name: 'opening-sentence',
    type: 'key',
    anchors: OPENS,
    beginsWord: true,
    verify: verifyOpens,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: ['The box by the gate opens with 4917.', 'The archive opens with the word gerimisungu, in small letters.'],
    keeps: ['The file opens with Okular.', 'The report opens with 2024 figures', 'It opens with the word "Chapter".'],
  },
];
