import { ALNUM, classesIn, DIGIT, LOWER, tableOf, UPPER } from './characters.ts';
import { FILLS_A_SPACE, SPEAKING, SPEAKING_IN_CAPITALS, SPEAKING_START } from './lexicon/values.ts';

/**
 * The grammar of values that stand for a value: templates, variables, ellipses, masks, instructions in capitals.
 * All patterns are anchored and run over slices of bounded length.
 */

const TEMPLATE =
  /^(?:\$|<|\\u003[cC]|\{|\[|%[A-Za-z_][A-Za-z0-9_]*%|#\{|@\{|&[a-z]+;|!(?:Ref|Sub|GetAtt|ImportValue|vault|secret|env)\b|ENC\[|vault:|op:\/\/|ssm:|secretsmanager:|file:|env:|arn:)/;
const MASKED = /^(?:[*•●xX.…_\-#?0]{2,}|…)$/;
const SHORTENED = /(?:\.\.\.|…|\*{3,}|x{5,}|X{5,})/;
const CAPITALS = /^[A-Z][A-Z]*(?:[_-][A-Z]+)+(?:[_-]\d{1,3})?$|^[A-Z]{2,12}$|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

/** What a match of MASKED, and one of SPEAKING_START, begins with. */
const MASKS = tableOf('*xX._-#?0');
const SPEAKS = tableOf('ymirepasYMIREPAS');
/** `abc123` is the one of SPEAKING that holds digits. */
const SPEAKING_WITH_DIGITS = 6;
/** The longest word of capitals alone that is none of a secret. */
const LONGEST_CAPITALS = 12;

/** True for a value that a template engine, a shell or a reader has to fill in. */
export function isTemplate(value: string): boolean {
  if (value === '') return true;
  // Every template holds a mark.
  if ((classesIn(value) & ~ALNUM) === 0) return false;
  return TEMPLATE.test(value) || /\$\{|\{\{|\$\(|<[a-z][a-z0-9 _-]*>/i.test(value);
}

/** True for a value that is visibly not the value: masked, shortened, or an instruction. */
export function isPlaceholder(value: string): boolean {
  const classes = classesIn(value);
  if ((classes & ~ALNUM) === 0) return value === '' || isPlaceholderWord(value, classes);
  if (isTemplate(value) || MASKED.test(value) || SHORTENED.test(value)) return true;
  if (isRepetition(value)) return true;
  if ((classes & LOWER) === 0 && CAPITALS.test(value) && !looksDrawn(value)) return true;
  return (SPEAKING.test(value) || speaksAtStart(value)) && !looksDrawn(value);
}

function speaksAtStart(value: string): boolean {
  return SPEAKING_START.test(value) || SPEAKING_IN_CAPITALS.test(value);
}

/** `isPlaceholder` of letters and digits alone, of which most patterns need not be tried. */
function isPlaceholderWord(value: string, classes: number): boolean {
  const first = value.charCodeAt(0);
  if (MASKS[first] === 1 && MASKED.test(value)) return true;
  if (value.includes('xxxxx') || value.includes('XXXXX') || isRepetition(value)) return true;
  if ((classes & ~UPPER) === 0 && value.length > 1 && value.length <= LONGEST_CAPITALS) return true;
  const mayBeWord = (classes & DIGIT) === 0 || value.length === SPEAKING_WITH_DIGITS;
  return ((mayBeWord && SPEAKING.test(value)) || (SPEAKS[first] === 1 && speaksAtStart(value))) && !looksDrawn(value);
}

/** True for the body of a token that was typed to show where the token goes: `xxxx`, `abcdefgh`, `your-key-here`. */
export function isFiller(body: string): boolean {
  if (MASKED.test(body) || /x{6,}|X{6,}|0{10,}|\.\.|…|\*{3}/.test(body) || isRepetition(body)) return true;
  return FILLS_A_SPACE.test(body) && !looksDrawn(body);
}

/** `aaaaaaaa`, `00000000`, `1234567890`, `abcdefgh`: typed to fill a space. */
function isRepetition(value: string): boolean {
  if (value.length < 4) return false;
  let steps = 0;
  for (let index = 1; index < value.length; index++) {
    const step = value.charCodeAt(index) - value.charCodeAt(index - 1);
    if (step === 0 || step === 1) steps++;
  }
  return steps >= value.length * 0.8;
}

/** Digits in the middle of capitals: drawn at random rather than written. */
function looksDrawn(value: string): boolean {
  const digits = value.replace(/[^0-9]/g, '').length;
  return digits >= 3 && value.length >= 12 && value.replace(/[^_-]/g, '').length <= 1;
}
