import { CODE, DASH, DIGIT, isIn, LETTER, WORD } from '../characters.ts';
import { ANY_DIGIT, type Finding, type Verify } from '../finding.ts';
import { ENDS_CLAUSE, LOCKS, LONGEST_ENDING, OTHER_CODES } from '../lexicon/access.ts';
import { NOUNS_OF_CODES, OPENING, SAYS_WHICH_NUMBER, SECURITY_ANSWERS, TYPING } from '../lexicon/access-verbs.ts';
import { wordSet } from '../lexicon/word-set.ts';
import type { TextWindow } from '../text-window.ts';
import { verdict } from '../verdicts.ts';
import { isLikelyWords } from '../words-at-place.ts';
import { chosen, type Rule } from './rule.ts';
import { isGivenInSentence, REACH, readGiven, readNumberGiven, sentenceBefore } from './sentence-values.ts';

/** Verifies at a digit behind a verb of typing: what locks is named beside it. */
const verifyTyped: Verify = (window, start, end, anchor) => {
  if (isIn(window.before(start - 1), WORD | DASH)) return undefined;
  const number = readNumberGiven(window, end - 1);
  if (number === undefined) return undefined;
  const sentence = `${sentenceBefore(window, start)} ${restOf(window, number)}`;
  if (!LOCKS.test(sentence)) return undefined;
  return !SAYS_WHICH.has(anchor) || (OPENING.test(sentence) && !namesOtherCode(sentence)) ? number : undefined;
};

const CODE_NOUN = /code|kode|código|codice|код/giu;

/** `error code`, `postal code` */
function namesOtherCode(sentence: string): boolean {
  for (const { index } of sentence.matchAll(CODE_NOUN))
    if (OTHER_CODES.test(sentence.slice(Math.max(0, index - 16), index))) return true;
  return false;
}

/** Verifies behind a noun of codes: whose it is, a verb, and the number. */
const verifyCode: Verify = (window, start, end) => {
  if (isIn(window.before(start - 1), WORD | DASH)) return undefined;
  let from = end;
  if (!isIn(window.at(from), DIGIT)) {
    const ahead = window.peek(from, LONGEST_OWNER);
    const owner = /\d{3}/.test(ahead) ? OWNER_OF_CODE.exec(ahead) : null;
    if (owner === null) return undefined;
    from += owner[0].length;
  }
  const number = readNumberGiven(window, from);
  if (number === undefined || OTHER_CODES.test(window.left(start, 16))) return undefined;
  const sentence = `${sentenceBefore(window, start)} ${window.slice(start, from)} ${restOf(window, number)}`;
  return LOCKS.test(sentence) ? number : undefined;
};

/** The sentence behind a number. */
function restOf(window: TextWindow, { end }: Finding): string {
  return window.peek(end, LONGEST_REST).split(/[.\n]/, 1)[0] ?? '';
}

/** Verifies at an answer: "the bank asks for my mother's maiden name; the answer is …". */
const verifySecurityAnswer: Verify = (window, start, end) => {
  if (!SECURITY_QUESTION.test(window.left(start, REACH))) return undefined;
  const given = readGiven(window, window.at(end) === CODE.space ? end + 1 : end);
  if (given === undefined || !ENDS_CLAUSE.test(window.peek(given.end, LONGEST_ENDING))) return undefined;
  const isGiven = verdict(window, 'likely words', given.value, isLikelyWords);
  return isGiven ? { start: given.start, end: given.end } : undefined;
};

const SECURITY_QUESTION =
  /security question|secret question|maiden name|first pet|Sicherheitsfrage|Mädchenname|question (?:secrète|de sécurité)|nom de jeune fille|pregunta (?:de seguridad|secreta)|apellido de soltera|pergunta (?:de segurança|secreta)|nome de solteira|domanda (?:di sicurezza|segreta)|cognome da nubile|beveiligingsvraag|meisjesnaam|pertanyaan (?:keamanan|rahasia)|nama gadis|контрольн\p{L}{2} вопрос|девичь\p{L}|güvenlik sorusu|kızlık|密保|秘密の質問/iu;

/** "if the computer asks, type … and press Enter": the word that answers it. */
const verifyAsked: Verify = (window, start, end) => {
  const before = window.before(start - 2);
  if (
    window.before(start - 1) !== CODE.space ||
    !(isIn(before, LETTER) || before === CODE.comma || before === CODE.colon)
  )
    return undefined;
  const left = window.left(start, LONGEST_QUESTION);
  const isAsked = (left.includes(',') || left.includes(':')) && MARK_BEFORE.test(left) && ASKED_BEFORE.test(left);
  if (!isAsked && !(isTold(window, start) && ASKED_BEHIND.test(window.peek(end, REACH)))) return undefined;
  const given = readGiven(window, end);
  return given !== undefined && isGivenInSentence(window, given) ? { start: given.start, end: given.end } : undefined;
};

const LONGEST_QUESTION = 40;
/** Most sentences have no such mark right before the verb: that is seen faster. */
const MARK_BEFORE = /[,:] (?:[^\s,:]{2,12} ){0,2}$/;
/** Somebody is told what to do: a mark or such a word stands right before the verb. */
function isTold(window: TextWindow, start: number): boolean {
  const end = start - 1;
  if (isIn(window.before(end - 1), WORD))
    return TELLS.has(window.slice(window.runBefore(end, WORD, LONGEST_TELLING), end).toLowerCase());
  return MARKS.has(window.before(end - 1));
}

const TELLS = wordSet(
  'just simply then you please must can should einfach dann simplement juste solo basta gewoon cukup',
);
const LONGEST_TELLING = 16;
const MARKS = new Set(Array.from('.!?:,', (mark) => mark.charCodeAt(0)));
/** "type … when it asks for the password" */
const ASKED_BEHIND =
  /^["'`«„“*]{0,2}[^\s"'`]{4,32}["'`»“”*]{0,2} (?:when|if|once|wenn|falls|sobald|quand|si|cuando|se|quando|als|wanneer|kalau|saat|jika|ketika|когда|если)[^.\n]{1,32}(?:password|passphrase|passcode|passwort|kennwort|sandi|laluan|mot de passe|contraseña|clave|senha|wachtwoord|парол)/iu;
/** Somebody or something asks, and for nothing that is named. */
const ASKED_BEFORE =
  /(?:^|[^\p{L}])(?:asks?|asked|prompts?|prompted|fragt|gefragt|verlangt|demande|pide|pregunta|chiede|vraagt|pede|perguntar|minta|meminta|bertanya|ditanya|спросит|попросит|спрашивает|запросит)(?: (?:you|dich|euch|erom|danach|for it|te|lo|la))?[,:] (?:(?:then|just|you|simply|dann|bitte|alors|tu|entonces|simplemente|dan|ketik|то) ){0,2}$/iu;

const LONGEST_REST = 48;
const LONGEST_OWNER = 72;
/** Whose code it is, and a verb: `for the side door is `. */
const OWNER_OF_CODE =
  /^(?:[\p{L}'’-]{1,16},? ){0,6}?(?:(?:is|was|stays|remains|changed to|changes to|was changed to|reset to|set to|ist|wurde auf|cambió a|mudou para|est passé à|est le|bleibt|lautet|est|reste|es|sigue siendo|é|ficou|è|resta|adalah|sekarang|itu|теперь|—|–|=)(?: (?:now|still|jetzt|noch|now|nog|agora|ahora|masih))?:? |[,:] |(?=\d[\p{L}\d]{3,7}[.,;!)\n]))["'`*„“«]{0,3}(?=[\p{L}\d]{4,8}(?![\p{L}\d]))/iu;

const SAYS_WHICH: ReadonlySet<string> = new Set(SAYS_WHICH_NUMBER.map((word) => word + ANY_DIGIT));

/** Numbers that open something, and answers to what a program or a bank asks. */
export const TYPED_RULES: readonly Rule[] = [
  {
    name: 'typed-code',
    type: 'key',
    anchors: [...TYPING.map((verb) => verb + ANY_DIGIT), ...SAYS_WHICH],
    beginsWord: true,
    verify: verifyTyped,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: ['At the gate press 4917 and the hash key.', "If the keypad of the shed asks, it's 4917."],
    keeps: ['Enter 4096 in the size field.', 'type 8080 as the port of the gateway', 'The gate count is 4096.'],
  },
  {
    name: 'code-of-lock',
    type: 'key',
    anchors: [...NOUNS_OF_CODES],
    beginsWord: true,
    verify: verifyCode,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: ['Der Code für die Haustür ist 4917.', 'The alarm takes another code, 4917.'],
    keeps: ['The error code for the door sensor is 5012.', `The code is ${chosen}.`],
  },
  {
    name: 'asked-word',
    type: 'key',
    anchors: [
      'type ',
      'enter ',
      'tippst du ',
      'tippe ',
      'tapez ',
      'escribe ',
      'digite ',
      'ketik ',
      'masukkan ',
      'typ ',
    ],
    beginsWord: true,
    verify: verifyAsked,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: ['If the till asks, type gerimisungu.', 'Just type gerimisungu when it asks for the password.'],
    keeps: ['If it asks, type yes.', 'Just type exit when you are done with the password.'],
  },
  {
    name: 'security-answer',
    type: 'key',
    anchors: SECURITY_ANSWERS,
    verify: verifySecurityAnswer,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: ['For the security question about the first pet the answer is Zwetschge.'],
    keeps: ['The security question is easy, and the answer is obvious to you.', 'The answer is Zwetschge.'],
  },
];
