import { wordList, wordSet } from './word-set.ts';

/** What a sentence before speaks of, by what its value has to show. The last of them counts. */
export const SPOKEN_OF =
  /\b(?:pass(?:word|phrase|code)s?|passwd|pwd|(?:kata )?sandi(?:nya)?|kata laluan|passwort|kennwort|wachtwoord|clave|contraseña|senha|mot de passe|(api[ -]?key|access key|token|secret|kunci(?: api)?|key|credential)s?)(?:-?nya)?(?![\w-])/gi;

/** Before `one`: the value that took the place of another, or had it. */
export const NAMED_ONE =
  /\b(?:new|old|current|other|previous|correct|right|real|actual|temporary|working|first|second) $/i;
/** Before `to`: somebody changes what is spoken of. */
export const CHANGED_TO =
  /\b(?:set|sets|setting|chang(?:e|ed|ing)|reset|resetting|rotated?|switch(?:ed)?|updated?|back) (?:it|that|this|them|those)(?: back)? $/i;
/** In the sentence before `from`: the same with what it was. */
export const CHANGES =
  /(?:\b(?:chang(?:e|ed|ing)|reset|rotated?|switch(?:ed)?|updated?|moved?|went|goes|ganti|diganti|ubah|diubah|geändert)|ändern)\b/i;
/** In the sentence before the verb that hands a value over: somebody is asked for it. */
export const ASKS = /\b(?:ask(?:s|ed)?|prompt(?:s|ed)?|want(?:s|ed)?|need(?:s|ed)?|diminta|meminta)\b/i;

/** The last word of a line whose colon leads to what stands below. */
export const LEADS_BELOW = wordList(
  'below follows following here this is now berikut bawah siguiente abajo abaixo seguinte folgt suivante suivant seguente',
);
/** Behind such a word and before the value. */
export const SMALL_WORDS = wordSet('is was are will be should now still just currently set to sekarang adalah');
/** Behind a value in quotes or without: what it is used as. */
export const USED_AS =
  /^["'`*]{0,3} (?:as|for|sebagai|untuk|als|comme|como|come) (?:(?:the|your|my|its|a|new|root|admin|database|db|wifi|temporary) ){0,3}(?:pass(?:word|phrase|code|wort)|kata sandi|sandi|kennwort|wachtwoord|mot de passe|contraseña|senha|clave)(?![\w-])/i;
