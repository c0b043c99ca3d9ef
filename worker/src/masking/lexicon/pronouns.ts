import { inAnyCase } from './names-elsewhere.ts';
import { wordList, wordSet } from './word-set.ts';

/** What a sentence before speaks of, by what its value has to show. The last of them counts. */
export const SPOKEN_OF =
  /(?<![\p{L}\d_])(?:pass(?:word|phrase|code)s?|passwd|pwd?|(?:kata )?sandi(?:nya)?|kata laluan|passwort|kennwort|wachtwoord|clave|contraseña|senha|mot de passe|парол\p{L}{1,3}|şifre\p{L}{0,5}|parola\p{L}{0,5}|hasł[oa]|lösenord\p{L}{0,2}|log-?in|(api[ -]?key|access key|token|secret|kunci(?: api)?|key|credential)s?)(?:-?nya)?(?![\p{L}\d_-])/giu;

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
  /^["'`*]{0,3},? (?:in(?:to)?|at|with|by|into|durch|mit|par|por|con|com|met|dengan|di) (?:the |a |an |your |its |einem? |ein |das |une? |le |una? |la |uma? |een |het ){0,2}["'`*]{0,2}(?:(?:new|old|stronger|strong|safe|safer|different|better|proper|real|unique|admin|root|second|confirm|neues|sicheres|stärkeres|nouveau|autre|nueva|otra|nova|outra|nieuw|sandi|kolom|champ|campo) ){0,2}["'`*]{0,2}(?:pass(?:word|phrase|code|wort)|kata sandi|sandi|kennwort|wachtwoord|mot de passe|contraseña|senha|clave)(?![\w-])|^["'`*]{0,3},? ?[—–(-] ?(?:that|this|it|which)(?:['’]s| is| was) (?:the|my|our|your|his|her|their) (?:\p{L}{2,12} ){0,3}pass(?:word|phrase|code)(?![\w-])|^["'`*]{0,3} (?:as|for|sebagai|untuk|als|comme|como|come) (?:(?:the|your|my|its|a|new|root|admin|database|db|wifi|temporary) ){0,3}(?:pass(?:word|phrase|code|wort)|kata sandi|sandi|kennwort|wachtwoord|mot de passe|contraseña|senha|clave)(?![\w-])|^["'`*]{0,3} (?:when|if|once|where|wenn|falls|quand|si|cuando|se|quando|als|wanneer|kalau|saat|jika|ketika)[^.\n]{0,24} (?:ask|prompt|frag|verlang|demand|pid|pregunt|chied|vraag|pede|pergunt|minta|bertanya)\p{L}{0,4}[^.\n]{0,20} (?:password|passphrase|passcode|code|sandi|kata sandi|mot de passe|contraseña|clave|senha|wachtwoord)(?![\w-])/iu;
/** What took the place of another, in other languages: the value follows. */
export const NEW_ONE: readonly string[] = inAnyCase([
  'neue ist ',
  'neues ist ',
  'neue lautet ',
  'neues lautet ',
  'nueva es ',
  'nuevo es ',
  'nueva: ',
  'nouveau est ',
  'nouvelle est ',
  'nova é ',
  'novo é ',
  'nuova è ',
  'nuovo è ',
  'nieuwe is ',
  'yang baru ',
  'barunya ',
  'новый — ',
  'новый: ',
  'теперь ',
  'yenisi ',
  'it is now ',
  'es ist jetzt ',
  'jetzt ist es ',
  "c'est maintenant ",
  'ahora es ',
  'agora é ',
  'adesso è ',
  'nu is het ',
  'sekarang jadi ',
]);
/** What tells somebody to try one after another. */
export const TRY_WORDS: ReadonlySet<string> = new Set(
  [
    'try',
    'coba',
    'versuch',
    'versuche',
    'probier',
    'probier mal',
    'versuch mal',
    'versuch es mit',
    'probier es mit',
    'try with',
    'prueba con',
    'essaie avec',
    'prova con',
    'tente com',
    'probeer eens',
    'coba pakai',
    'probiere',
    'essaie',
    'essayez',
    'prueba',
    'prova',
    'tente',
    'tenta',
    'probeer',
    'попробуй',
    'попробуйте',
    'dene',
  ].map((word) => `${word} `),
);
/** What an answer begins with on its line: a mark, a time, who speaks, and a word or two. */
export const SPEAKER =
  /^(?:\[[\d:. ,/-]{4,20}\] )?(?:(?:>|[-*•]|<[\w .-]{1,20}>) |[\p{L}][\p{L}.]{0,16}(?: [\p{L}.]{1,12})?(?: \([^()\n]{1,12}\))?:\*{0,2} )/iu;
export const INTRODUCES = /^(?:ini|it's|it is|here|sure|es|c'est|das ist|es ist) (?:ya |bro |it is |is )?/i;
/** The verb begins a sentence: the one before it named what is to be tried. */
export const TRIES = /(?:^|[.!?:,] |\n)$/;
/** What CHANGED_TO ends in. */
export const PRONOUNS_CHANGED = ['it', 'that', 'this', 'them', 'those'].flatMap((word) => [word, `${word} back`]);
/** Verbs that hand a value over to a form, a prompt or a person. */
export const HANDS_OVER = wordList(
  'enter use try masukkan gunakan pakai verwende utilisez usa gebruik paste type replace ersetze remplacez remplace reemplaza substitua vervang ganti',
).concat('need', 'agreed on', 'settled on', 'went with', 'going with', 'einigten uns auf');
/** Before or behind a value: something is opened with it. */
export const OPENS_WHAT =
  /\b(?:open|unlock|decrypt|unzip|extract|log ?in|sign in|get in|öffnen|entsperren|entschlüsseln|abrir|desbloquear|ouvrir|déverrouiller|aprire|sbloccare|openen|membuka|entrar|masuk)\b/i;
export const OPENS_BEHIND =
  /^["'`*]{0,3} (?:to|zum|um|pour|para|per|om|untuk) (?:[\p{L}]{1,10} ){0,3}(?:unzip|unlock|open|decrypt|extract|log ?in|sign in|get in|connect|join|entpacken|öffnen|entsperren|ouvrir|abrir|aprire|openen|membuka)/iu;
