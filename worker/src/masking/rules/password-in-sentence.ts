import { CODE } from '../characters.ts';
import type { Finding } from '../finding.ts';
import { ENDS_CLAUSE, LONGEST_ENDING } from '../lexicon/access.ts';
import { NOT_THE_SECRET } from '../lexicon/secret-names.ts';
import { NAMES_ANOTHER_THING, OWNERS } from '../lexicon/sentences.ts';
import { isUncommonWords } from '../plain-words.ts';
import type { SecretName } from '../secret-name.ts';
import { isTellingValue } from '../telling-value.ts';
import type { TextWindow } from '../text-window.ts';
import { verdict } from '../verdicts.ts';
import { isLikelyWords } from '../words-at-place.ts';

/**
 * A password further on in the sentence that names it: in brackets or between commas ("the password in line 12 (`…`)",
 * "your password, …, is visible"), behind a verb of typing ("for the password, use …"), right behind its name with an
 * article before it ("generated the password …"), or alone below a heading. There the value itself has to tell.
 */

const REACH = 88;
const BEFORE = 64;
/** Words up to a bracket that holds a value and nothing else. */
const IN_BRACKETS = /^[^\n()"'`]{0,56} \(["'`]?([A-Za-z\d][^\s"'`«»„“”()<>|]{4,47})["'`]?\)/;
/** Between two commas or dashes, with a few words before them. */
const BETWEEN_COMMAS =
  /^(?: [\p{L}'’-]{1,16}){0,6}(?:,| [—–]) ["'`]?([A-Za-z\d][^\s"'`«»„“”()<>|]{4,47})["'`]?(?:, | [—–] |[,.]?$)/u;
/** Behind a verb that types or takes: `Password box type …`, `the prompt accepts …`. */
const TYPED =
  /^(?:["'`*]{0,2},? [\p{L}*-]{1,16}){0,4},? (?:types?|typed|enter|entered|uses?|used|using|try|put|put in|accepts?|takes|took|set to|became|contains?|includes?|gib|verwende|nimm|ketik|masukkan|pakai|gunakan|saisis(?:sez)?|tapez|utilisez|escribe|usa|pon|digite|coloque|gebruik|typ) ["'`«„“]?([A-Za-z\d][^\s"'`«»„“”()<>|]{4,47})/iu;
/** Right behind the name, with an article, a possessive or a preposition before it. */
const ADJACENT = /^ ["'`]?([A-Za-z\d][^\s"'`«»„“”()<>|]{4,47})/;
const DETERMINED =
  /(?:^|\n|[.:;!?]\s)[\s>*#/-]{0,8}$|\b(?:hard-?coded|real|actual|old) $|(?:^|[\s(])(?:the|a|an|my|your|our|his|her|their|its|with|using|und|mit|dem|das|der|mein|dein|unser|le|la|el|un|una|una|ton|votre|mon|tu|su|mi|il|lo|o|a|sua|minha|het|een|uw|je|mijn|dengan|pakai|kata|sementara|temporary|initial|new|default|admin|root|wi-?fi|guest)(?: [\p{L}-]{2,14}){0,2} $/iu;
/** A heading, or a label in bold, that is alone on its line. */
const HEADING = /^(?:#{1,6} |\*\*)(?:[\p{L}\d'’-]{1,20} ){0,5}$/u;
const BELOW =
  /^(?: [\p{L}-]{1,16}){0,3}:?\*{0,2}:?\r?\n(?:\r?\n)?(?:(?:```|~~~)\w{0,10}\r?\n)?[ \t]{0,4}[`*>]{0,3} ?([A-Za-z\d][^\s"'`«»„“”()<>|]{4,47})[`*]{0,3}[ \t]{0,2}(?:\r?\n|$)/u;

export function findFurtherOn(window: TextWindow, name: SecretName): Finding | undefined {
  if (name.kind === 'weak') return findBehindPass(window, name);
  if (name.kind !== 'password') return undefined;
  const code = window.at(name.end);
  if (code !== CODE.space && code !== CODE.comma && code !== CODE.star && code > CODE.space && code !== CODE.colon)
    return undefined;
  const ahead = window.peek(name.end, REACH);
  const below = findBelowHeading(window, name, ahead);
  if (below !== undefined) return below;
  const line = ahead.split('\n', 1)[0] ?? '';
  // Most sentences hold neither a quote nor a digit behind the name: that is seen many times as fast.
  if (!/[\d"'`“„«]/.test(line)) return undefined;
  for (const pattern of [BETWEEN_COMMAS, IN_BRACKETS, TYPED]) {
    const found = pattern.exec(line);
    if (found === null || speaksOfAnother(found[0].slice(0, -(found[1] ?? '').length))) continue;
    const given = spanOf(window, name.end, found);
    const isQuoted = /["'`]/.test(window.text.charAt(given.start - 1));
    const value = window.slice(given.start, given.end);
    if (isTellingValue(window, value, isQuoted)) return given;
    if (isQuoted && pattern !== TYPED && verdict(window, 'uncommon words', value, isUncommonWords)) return given;
  }
  return findPhrase(window, name.end, line) ?? findAdjacent(window, name, line);
}

/** `pass is …`, as people write it in a message. */
function findBehindPass(window: TextWindow, name: SecretName): Finding | undefined {
  if (name.end - name.start !== 4 || !window.matches(name.start, 'pass') || !window.matches(name.end, ' is '))
    return undefined;
  const found = PASS_IS.exec(window.peek(name.end, REACH).split('\n', 1)[0] ?? '');
  if (found === null) return undefined;
  const given = spanOf(window, name.end, found);
  return isTellingValue(window, window.slice(given.start, given.end)) ? given : undefined;
}

const PASS_IS = /^ is (?:still |now |just )?["'`]?([A-Za-z\d][^\s"'`«»„“”()<>|]{4,47})/;

/** Words in quotes, in brackets or between commas. */
function findPhrase(window: TextWindow, from: number, line: string): Finding | undefined {
  const found = PHRASE.exec(line);
  const phrase = found?.[3];
  if (found === null || phrase === undefined || speaksOfAnother(found[1] ?? '')) return undefined;
  const start = from + found[0].lastIndexOf(phrase);
  return verdict(window, 'likely words', phrase, isLikelyWords) ? { start, end: start + phrase.length } : undefined;
}

const PHRASE = /^((?: [\p{L}\d'’-]{1,16}){0,8})(?:,| \() ?(["'`])([\p{L}\d][\p{L}\d '’-]{6,47})\2/u;

function findAdjacent(window: TextWindow, name: SecretName, line: string): Finding | undefined {
  const adjacent = ADJACENT.exec(line);
  if (adjacent === null || !DETERMINED.test(window.left(name.start, BEFORE))) return undefined;
  const given = spanOf(window, name.end, adjacent);
  const value = window.slice(given.start, given.end);
  if (!ENDS_CLAUSE.test(window.peek(given.end, LONGEST_ENDING)) || !isTellingValue(window, value)) return undefined;
  return given;
}

/** `### Admin password`, and the value alone below it, in a block of code or not. */
function findBelowHeading(window: TextWindow, name: SecretName, ahead: string): Finding | undefined {
  const left = window.left(name.start, BEFORE);
  if (!/[#*]/.test(left) || !HEADING.test(left.slice(left.lastIndexOf('\n') + 1))) return undefined;
  const below = BELOW.exec(ahead);
  const value = below?.[1];
  if (below === null || value === undefined || speaksOfAnother(ahead.split('\n', 1)[0] ?? '')) return undefined;
  const start = name.end + below[0].lastIndexOf(value);
  const stop = window.trim(start, start + value.length, '`*.');
  const text = window.slice(start, stop);
  const isGiven = isTellingValue(window, text, true) || verdict(window, 'uncommon words', text, isUncommonWords);
  return isGiven ? { start, end: stop } : undefined;
}

/** The span of a pattern's value, without what ends its sentence. */
function spanOf(window: TextWindow, from: number, found: RegExpExecArray): Finding {
  const value = found[1] ?? '';
  const start = from + found[0].lastIndexOf(value);
  return { start, end: window.trim(start, start + value.length, '.,:;') };
}

/** `the password hash (…)`, `password field, …`: words that say it is about something else. */
function speaksOfAnother(words: string): boolean {
  const [first = '', ...others] = words.toLowerCase().match(/\p{L}+/gu) ?? [];
  if (NAMES_ANOTHER_THING.has(first) || (NOT_THE_SECRET.has(first) && !OWNERS.has(first) && !OF_PROMPT.test(first)))
    return true;
  return others.some((word) => NAMES_ANOTHER_THING.has(word) || word === 'algorithm' || word === 'username');
}

/** What somebody types into. */
const OF_PROMPT = /^(?:prompt|box|field|input|form|page|in|on|for|to|at|is|it|s)$/;
