import { hasNounElsewhere, SPEAKS_OF_PASSWORDS } from './lexicon/names-elsewhere.ts';
import { wordSet } from './lexicon/word-set.ts';
import { isPlaceholder } from './placeholder.ts';
import { isUncommonWords, mayBeWords } from './plain-words.ts';

/**
 * Words and phrases at a place that is sure or likely to hold a password: `bell and book`, `radius of a circle`,
 * `red bricks`. Small words may join the others there; what the others say decides.
 */

const LONGEST = 56;
const PHRASE = /^[\p{L}\d'’]{1,24}(?:,? [\p{L}\d'’&+-]{1,24}){1,8}[!?]?$/u;
const WORDS = /[\p{L}\d]+/gu;
/** What joins the words of a phrase and says nothing by itself. */
const JOINTS = wordSet(`
  a an and of over under in on at by for with to or the not no my your our per than into from up down
  und oder mit von auf im am der die das dem den ein eine zum zur ohne
  y e o u con de del la el los las al en por sin un una et ou avec du des le les l d au aux sur sous sans
  do da dos das no na com em ao à il lo gli di della del dei nel sul
  het een van op met te bij dan yang dari ke tanpa si sang i и в на с под над без ve ile`);
/** How a cell or a sentence begins that says where the password is, or that none is given. */
const REFERS =
  /^(?:see|ask|same|like|kept|stored|not|use|using|via|contact|call|check|look|sent|please|siehe|frag|wie|voir|ver|vedi|zie|lihat|tanya|sama|смотри|см|спроси(?:те)?|узнай(?:те)?|уточни(?:те)?|обратитесь|pídel[ao]|pregunt\p{L}{1,3}|pergunt\p{L}{1,3}|demand\p{L}{1,3}|chied\p{L}{1,4}|vraag|sso|none|keine?|aucun|ninguna?|nenhuma?|geen|tidak|нет)(?!\p{L})/iu;

/** Whether a phrase begins with a word that only joins others: `on paper`. */
export function beginsWithJoint(value: string): boolean {
  return JOINTS.has(value.split(' ', 1)[0]?.toLowerCase() ?? '');
}

/** Whether small words join the others, as they do in a sentence. */
export function holdsJoint(value: string): boolean {
  return value
    .toLowerCase()
    .split(/[ ,]+/)
    .some((word) => JOINTS.has(word));
}

/** Whether `value` stands where nothing but a password can: words that speak of nothing else, joined by small ones as phrases are. */
export function isChosenWords(value: string): boolean {
  if (REFERS.test(value) || SPEAKS_OF_PASSWORDS.test(value)) return false;
  return mayBeWords(value) || isEasternWord(value) || isPhrase(value);
}

/** Two to nine words, some of them telling, and none that labels a field or says something of a password. */
function isPhrase(value: string): boolean {
  if (value.length > LONGEST || !PHRASE.test(value) || isPlaceholder(value)) return false;
  const words = (value.toLowerCase().match(WORDS) ?? []).filter((word) => !JOINTS.has(word));
  if (!words.some((word) => word.length >= TELLING)) return false;
  return !words.some((word) => SAYS_OF_PASSWORDS.has(word) || SAID_OF_SOMETHING.test(word)) && !hasNounElsewhere(value);
}

const TELLING = 4;
const SAID_OF_SOMETHING = /(?:[^aeioun]ed|.{3}(?:able|ible))$/;
/** Words of labels, rules and messages: of the words that speak about passwords those that phrases seldom hold. */
const SAYS_OF_PASSWORDS = wordSet(`
  password passwords passphrase passcode pass passwd pwd secret secrets token tokens key keys login username user users account accounts credential credentials pin otp
  required optional mandatory minimum maximum min max character characters chars length letters digits digit numbers uppercase lowercase case sensitive insensitive valid invalid wrong incorrect
  correct empty blank missing mismatch match unset none null undefined default defaults changed unchanged same previous current new repeat confirm confirmation enter type forgot forgotten reset expired
  expires hash hashed plain plaintext cleartext encrypted encryption stored weak strong medium strength policy protected provided generated random automatically manager field form input value text
  optional bytes bits unknown set via see file env environment variable variables config prompt stdin keyring vault managed disabled enabled available needed allowed
  authentication authenticate auth only please must should your too long short very so how what being been already now never always
  wajib minimal maksimal karakter huruf angka sama kosong salah benar baru lama ulangi konfirmasi pengguna
  erforderlich zeichen mindestens benutzer falsch ungültig leer neues altes gleich unverändert
  requis obligatoire caractères minimum utilisateur incorrect invalide vide nouveau ancien identique
  obligatoria obligatorio caracteres mínimo usuario incorrecta inválida vacía nueva anterior misma
  obrigatória obrigatório mínimo usuário incorreta vazia atual mesma
  verplicht tekens minimaal gebruiker onjuist ongeldig leeg nieuw hetzelfde`);

/** The same where something else may stand as well: half of the telling words are uncommon. */
export function isLikelyWords(value: string): boolean {
  if (REFERS.test(value) || SPEAKS_OF_PASSWORDS.test(value)) return false;
  return isUncommonWords(value) || hasContent(value, isUncommonWords);
}

function hasContent(value: string, judge: (words: string) => boolean): boolean {
  if (value.length > LONGEST || !PHRASE.test(value)) return false;
  const words = value.match(WORDS) ?? [];
  const content = words.filter((word) => !JOINTS.has(word.toLowerCase()));
  return content.length > 1 && content.length < words.length && judge(content.join(' '));
}

/** Three characters of Chinese, Japanese or Korean say as much as a word, two with a number. */
const EASTERN = /^[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,12}(?:[-_ ]?\d{1,8})?[!?]?$/;
const SHORTEST_EASTERN = 3;
/** A word of a language whose words no blanks part. */
export function isEasternWord(value: string): boolean {
  return EASTERN.test(value) && value.length >= SHORTEST_EASTERN && !SPEAKS_OF_PASSWORDS.test(value);
}
