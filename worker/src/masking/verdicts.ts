import { isDrawn } from './drawn-value.ts';
import type { Memory } from './memory.ts';
import type { TextWindow } from './text-window.ts';
import { isSecretValue, type ValueSetting } from './value-judge.ts';

/** What a character of a value that is judged costs: patterns and scores go over it again and again. */
const JUDGING = 20;
/** The same where a few patterns that are anchored are all. */
export const JUDGING_PLAINLY = 4;
/** Values shorter than this are judged anew: that costs less than looking them up. */
const WORTH_REMEMBERING = 32;
const MOST_REMEMBERED = 64;

/**
 * What was judged about the longer values of one text, by question. A text may name a secret every few characters, each
 * with the same three hundred characters as its value, and judging those takes a hundred times as long as comparing them.
 */
const VERDICTS: Memory<Map<string, Map<string, boolean>>> = {
  begin: () => new Map(),
  // The values are pieces of the text: they must not outlive it.
  forget: (verdicts) => verdicts.clear(),
};

/**
 * What `judge` says about a value of the window's text: charged to it, and the same value is judged once.
 *
 * @param question names the judge
 * @param price steps for each character of the value
 */
export function verdict(
  window: TextWindow,
  question: string,
  value: string,
  judge: (value: string) => boolean,
  price: number = JUDGING,
): boolean {
  if (value.length < WORTH_REMEMBERING) {
    window.steps += price * value.length;
    return judge(value);
  }
  const byQuestion = window.remembered(VERDICTS);
  let verdicts = byQuestion.get(question);
  const known = verdicts?.get(value);
  if (known !== undefined) return known;
  window.steps += price * value.length;
  const judged = judge(value);
  if (verdicts === undefined || verdicts.size >= MOST_REMEMBERED) {
    verdicts = new Map();
    byQuestion.set(question, verdicts);
  }
  verdicts.set(value, judged);
  return judged;
}

/** The short value that was judged last: several rules ask about the same one in turn. */
const LAST_DRAWN: Memory<{ value: string; drawn: boolean }> = {
  begin: () => ({ value: '', drawn: false }),
  forget: (last) => {
    last.value = '';
    last.drawn = false;
  },
};

/** `isDrawn` about a value of the window's text. */
export function isDrawnIn(window: TextWindow, value: string): boolean {
  if (value.length >= WORTH_REMEMBERING) return verdict(window, 'drawn', value, isDrawn);
  const last = window.remembered(LAST_DRAWN);
  if (last.value === value) return last.drawn;
  window.steps += JUDGING * value.length;
  last.drawn = isDrawn(value);
  last.value = value;
  return last.drawn;
}

/** `isSecretValue` about a value of the window's text. */
export function isSecretIn(window: TextWindow, value: string, setting: ValueSetting): boolean {
  if (value.length < WORTH_REMEMBERING) {
    window.steps += JUDGING * value.length;
    return isSecretValue(value, setting);
  }
  const { name, quoted, environment, exact = false, prose } = setting;
  const question = `${name} ${Number(quoted)}${Number(environment)}${Number(exact)}${Number(prose)}`;
  return verdict(window, question, value, () => isSecretValue(value, setting));
}
