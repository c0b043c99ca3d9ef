import { isCommonWord } from './common-words.ts';
import { hasNounElsewhere } from './lexicon/names-elsewhere.ts';
import { USER_LABELS } from './lexicon/users.ts';
import type { TextWindow } from './text-window.ts';

/** How far before a password the user may be given whose it is, and on how many lines. */
const REACH = 200;
const MOST_LINES = 4;
const USER_GIVEN =
  /(?:user(?:[ _-]?(?:name|id))?|log-?in|e-?mail|account|akun|usuario|usuário|benutzer(?:name)?|anmeldename|identifiant|utilisateur|gebruiker(?:snaam)?|pengguna|логин|пользователь|kullanıcı(?: adı)?|użytkownik|utente|用户名?|ユーザー名?|ssid|network(?: name)?|wi-?fi(?: name)?|wlan|netzwerk|réseau|jaringan|uid)["'`*\])\\]{0,4}\s{0,4}(?:=>|[:=：,(]| is|(?= ?@?["'`]))\s{0,4}@?(\\?["'`]?)[*@]{0,3}([\p{L}\d_.@+-]{2,48})(\\?["'`]?)/giu;

/** `name: wiki`, on the line above the password's in a list of settings. */
const NAMED = /^[ \t]{0,24}(?:- )?name: ?["']?([\w.@-]{2,48})["']?$/;
const BEGINS_SETTING = /^[ \t]{0,24}(?:\w{1,12}_)?$/;

/**
 * Whether a user, a mailbox or a network is given right before `start`: what is called a password beside it is one.
 *
 * @param inCapital the word begins with a capital, as labels do: then the user must not
 */
export function hasLoginBefore(window: TextWindow, start: number, inCapital = false): boolean {
  const left = window.slice(Math.max(0, start - REACH), start);
  const lines = left.split('\n').slice(-MOST_LINES);
  const text = lines.join('\n');
  USER_GIVEN.lastIndex = 0;
  for (let given = USER_GIVEN.exec(text); given !== null; given = USER_GIVEN.exec(text)) {
    const [, opened = '', user = '', closed = ''] = given;
    if (opened === closed && !isLabel(user) && !(inCapital && CAPITALISED.test(user))) return true;
    // `"message": "login", "user": "rina"`: what a word of logins is given may be another one.
    USER_GIVEN.lastIndex = given.index + SHORTEST_LABEL;
  }
  const named = BEGINS_SETTING.test(lines.at(-1) ?? '') ? NAMED.exec(lines.at(-2) ?? '') : null;
  return named !== null && !isLabel(named[1] ?? '');
}

/** `uid`. */
const SHORTEST_LABEL = 3;
const CAPITALISED = /^\p{Lu}\p{Ll}+$/u;

/** `"username": "Benutzername"`: what a field is called, or what it holds. */
function isLabel(user: string): boolean {
  const folded = user.toLowerCase();
  if (USER_LABELS.has(folded) || hasNounElsewhere(folded)) return true;
  return folded !== user && isCommonWord(folded);
}
