import { BLANK, CODE, DIGIT, isIn, LETTER, LOWER, QUOTE, UPPER, WORD } from '../characters.ts';
import type { Verify } from '../finding.ts';
import { COPULAS } from '../lexicon/names-elsewhere.ts';
import { CODE_NAMES } from '../lexicon/secret-names.ts';
import type { TextWindow } from '../text-window.ts';
import type { Rule } from './rule.ts';

const SHORTEST = 4;
const LONGEST = 8;

/** `1234`, `0000`, `654321`: typed to show where the number goes. */
export function isCounted(digits: string): boolean {
  const step = digits.charCodeAt(1) - digits.charCodeAt(0);
  for (let index = 2; index < digits.length; index++)
    if (digits.charCodeAt(index) - digits.charCodeAt(index - 1) !== step) return false;
  return Math.abs(step) < 2;
}

/** `storePin`, `ADMIN_PIN`: the last word of a name. */
function endsName(window: TextWindow, start: number): boolean {
  const before = window.before(start - 1);
  if (before === CODE.underscore) return true;
  return isIn(before, LOWER) && isIn(window.code(start), UPPER);
}

const SHORTEST_OF_NAME = 6;

/** `PIN for the door is …` */
const OF_WHAT =
  /^(?:for|untuk|to|on|of|at|in|di|pada|dari|von|van|für|del?|do|da) [A-Za-z][\w' -]{1,32}(?: (?:is|was|adalah|masih|ist|es|é)(?: (?:now|still|sekarang|set to|again))?(?= )|:(?= \d{6}(?!\w)))/;
const LEADS_TO_OF = /^(?:for|untuk|to|on|of|at|in|di|pada|dari|von|van|für|del?|do|da) /;
/** `is now `, `is still `: more than the verb alone. */
const VERB =
  /^(?:(?!count|number|no\b|length|time|limit|id\b|expir|digits|max|min|interval|ttl|set)[A-Za-z]{3,16}:(?= \d{6}(?!\w))|(?:is|was|adalah|masih|ist|lautet|es|é)(?: (?:now|still|sekarang|set to|again|currently))?(?= )|kamu(?= \d{6}(?!\w)))/;
/** `kartu itu `, `do cofre ficou `, `van het hek is `: whose it is, and a verb or the end of the clause behind the number. */
const OWNED =
  /^(?!(?:counts?|number|no|length|time|limit|ids?|expir\w*|digits?|max|min|interval|ttl|set|header|gpio|connector|board|verification|at|between|block) )(?:[\p{L}'’-]{1,16} ){0,5}?(?:(?:is|was|stays|remains|ist|bleibt|lautet|est|reste|es|sigue siendo|queda|é|ficou|fica|è|resta|blijft|adalah|itu|yaitu|tetap|masih|остался|это|olarak|changed to|reset to|used to be|wurde auf|cambió a|mudou para|est passé à)(?: (?:now|still|jetzt|noch|nu|nog|agora|ahora|maintenant|toujours|ancora|sekarang|masih|теперь))?:? ["'`*„“«]{0,3}(?=\d{4,8}(?![\w.:-]*\w))|(?=\d{4,8}[,;)]? ?(?:\n|$|\.\s|, \p{Ll})))|^(?!(?:count|number|length|error|exit|status|header)\b)(?:[\p{L}'’-]{1,16} ){0,3}[\p{L}'’-]{2,16} ?: ?(?=\d{4,8}(?![\w.:-]*\w))/iu;
const FOUR_DIGITS = /\d{4}/;
/** The pin of somebody, and not of a board. */
const OF_PERSON =
  /\b(?:card|bank|phone|sim|door|gate|safe|alarm|app|hek|kluis|tor|tür|cofre|porta|puerta|caja|kartu|pintu|atm|hp)\b/i;
const LONGEST_VERB = 44;
const LONGEST_WHOSE = 64;
const LONGEST_LEAD = 6;

/**
 * Verifies at the name of a short number that is a secret: `PIN: 4…`, `kode OTP adalah …`. Four to eight digits; a
 * connector's pin has fewer, and a number that goes on is something else.
 */
const verifyCodeNumber: Verify = (window, start, end, anchor) => {
  const inName = endsName(window, start);
  if (!inName && (isIn(window.before(start - 1), WORD) || window.before(start - 1) === CODE.hyphen)) return undefined;
  let index =
    window.matches(end, 'nya') || window.matches(end, ' anda') ? end + (window.at(end) === CODE.space ? 5 : 3) : end;
  // `Pinard`, `pinboard`
  if (isIn(window.at(index), WORD)) return undefined;
  while (window.at(index) === CODE.star || isIn(window.at(index), QUOTE)) index++;
  index = window.run(index, BLANK, 3);
  if (window.at(index) === CODE.colon || window.at(index) === CODE.equals) index++;
  else if (window.at(index) === CODE.fullwidthColon || COPULAS.includes(String.fromCharCode(window.at(index)))) index++;
  // "the support PIN `3390`": the quotes say that it is given.
  else if (!isIn(window.at(index), QUOTE)) {
    const ahead = window.peek(index, LONGEST_LEAD);
    const lead = LEADS_TO_OF.test(ahead)
      ? OF_WHAT.exec(window.peek(index, LONGEST_WHOSE))
      : VERB.exec(window.peek(index, LONGEST_VERB));
    const whose = lead === null && !isIn(window.at(end), LETTER) ? window.peek(index, LONGEST_WHOSE) : '';
    const owned = lead ?? (FOUR_DIGITS.test(whose) ? OWNED.exec(whose) : null);
    if (
      owned === null ||
      (lead === null && anchor === 'pin' && window.text.charAt(start) === 'p' && !OF_PERSON.test(owned[0]))
    )
      return undefined;
    index += owned[0].length;
  }
  index = window.run(index, BLANK, 3);
  const bare = index;
  while (window.at(index) === CODE.star || isIn(window.at(index), QUOTE)) index++;
  // Without quotes the pin of a board as well has a name that ends so, and a short number.
  const shortest = inName && index === bare ? SHORTEST_OF_NAME : SHORTEST;
  const stop = endOfGroups(window, index);
  const digits = window.slice(index, stop).replace(/[ -]/, '');
  if (digits.length < shortest || digits.length > LONGEST || isCounted(digits)) return undefined;
  const code = window.at(stop);
  const goesOn =
    code === CODE.dot ||
    code === CODE.comma ||
    code === CODE.colon ||
    code === CODE.slash ||
    code === CODE.hyphen ||
    code === CODE.percent;
  if (isIn(code, WORD) || (goesOn && isIn(window.at(stop + 1), DIGIT | LETTER))) return undefined;
  return { start: index, end: stop };
};

/** `481 207`, `4812-0733`: the number in two groups as messages show it, or in one. */
function endOfGroups(window: TextWindow, from: number): number {
  const end = window.run(from, DIGIT, LONGEST + 1);
  const joint = window.at(end);
  if ((end - from !== 3 && end - from !== 4) || (joint !== CODE.space && joint !== CODE.hyphen)) return end;
  const second = window.run(end + 1, DIGIT, LONGEST);
  return second - end - 1 === end - from && !isIn(window.at(second), WORD | BLANK) ? second : end;
}

/** Short numbers that are secrets. */
export const CODE_NUMBER_RULES: readonly Rule[] = [
  {
    name: 'code-number',
    type: 'key',
    anchors: CODE_NAMES,
    verify: verifyCodeNumber,
    source: 'https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password',
    masks: [
      'PIN: 482913',
      'kode OTP adalah **730184**',
      'the PIN on the card terminal is still 739156.',
      "otp = '730184'",
      "const storePin = '482913'",
      'ADMIN_PIN=482913',
      '"unlockCode": "482913"',
    ],
    keeps: [
      'GPIO pin: 12',
      'pin: 1234',
      'PIN: ****',
      'the manual (Drepper, Miller, and Pinard 1995)',
      'spin: 482913',
      'pin 482913 items',
      'LED_PIN=4829',
      'ledPin = 4829',
    ],
  },
];
