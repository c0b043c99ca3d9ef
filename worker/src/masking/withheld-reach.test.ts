import { expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { AnchorIndex } from './anchor-index.ts';
import { stopsLeft } from './characters.ts';
import { anchorsOf, compileRules } from './compile-rules.ts';
import type { Anchor } from './finding.ts';
import { createMasker } from './mask.ts';
import { MaskMachine } from './mask-machine.ts';
import { ALL_RULES } from './rules/all-rules.ts';
import { LETTERS_DIGITS } from './rules/rule.ts';
import { draw } from './testing/drawn.ts';
import { hostileTexts } from './testing/hostile-texts.ts';
import { LEFT_REACH, Scratch } from './text-window.ts';
import { MaskingBudgetExceeded } from './work-budget.ts';

const CASES = Number(process.env.REACH_CASES ?? 20_000);
const SEED = Number(process.env.REACH_SEED ?? 5);
/** What ends a run that a stream withholds, and what does not. */
const INSERTED = ' \t\n"\'`<>()|,;:=.-_/@$*é”{}[]9aZ';

/** Masks with all rules, and says which of them found something that begins before what a stream withholds. */
function machineThatWatches(faults: Set<string>): {
  readonly mask: (text: string) => void;
  readonly found: () => number;
} {
  let found = 0;
  const watched = (anchor: Anchor): Anchor => ({
    ...anchor,
    verify: (window, start, end, text) => {
      const finding = anchor.verify(window, start, end, text);
      if (finding === undefined || finding.start >= start) return finding;
      found++;
      const before = Array.from(window.codes.subarray(finding.start, start));
      if (before.length > LEFT_REACH || before.some((code) => stopsLeft(code)))
        faults.add(`${(finding.rule ?? anchor.rule).name}: ${JSON.stringify(window.text.slice(finding.start, end))}`);
      return finding;
    },
  });
  const rules = { ...compileRules(), index: new AnchorIndex(anchorsOf(ALL_RULES).map(watched)) };
  const scratch = new Scratch();
  const mask = (text: string) => {
    try {
      new MaskMachine(rules, scratch, false).feed(text, true);
    } catch (error) {
      if (!(error instanceof MaskingBudgetExceeded)) throw error;
    }
  };
  return { mask, found: () => found };
}

test('no rule finds what begins before the unbroken run that a stream withholds, in examples that were changed and in hostile texts', () => {
  const faults = new Set<string>();
  const { mask, found } = machineThatWatches(faults);
  const random = seededRandom(SEED);
  const pick = <T>(list: ArrayLike<T>): T => list[Math.floor(random() * list.length)] as T;
  const examples = ALL_RULES.flatMap(({ masks }) =>
    masks.map((example) =>
      typeof example === 'string' ? example : example((length, alphabet) => draw(random, length, alphabet)),
    ),
  );
  for (let tried = 0; tried < CASES; tried++) {
    let text = `${pick(examples)} ${pick(examples)}`;
    for (let changes = Math.floor(random() * 4); changes > 0; changes--) {
      const at = Math.floor(random() * (text.length + 1));
      text = text.slice(0, at) + pick(INSERTED) + text.slice(at + Math.round(random()));
    }
    mask(text);
  }
  const hostile = hostileTexts(SEED);
  for (let tried = 0; tried < CASES / 40; tried++) mask(hostile.next().value.text.slice(0, 20_000));
  expect([...faults]).toEqual([]);
  expect(found()).toBeGreaterThan(CASES / 40);
});

test.each([
  '".tochararray()^9:5432:".toCharArray()',
  'x = "Kopi(Susu77".toCharArray()',
  'x = "Kopi”Susu77".toCharArray()',
])('a stream gives what the whole gives of %s', (text) => {
  const masker = createMasker();
  const whole = masker.mask(text).text;
  for (let cut = 1; cut < text.length; cut++) {
    const pieces = masker.createPieces();
    expect(pieces.push(text.slice(0, cut)) + pieces.push(text.slice(cut)) + pieces.end()).toBe(whole);
  }
});

test('a token that is glued to a configured value is masked, in a stream as in the whole', () => {
  const secret = 'Zk7-Qp/3x+Lm9w';
  const masker = createMasker({ knownValues: [secret] });
  const text = `${secret}s.${draw(seededRandom(3), 24, LETTERS_DIGITS)} and more`;
  expect(masker.mask(text).text).toBe('***API_KEY******API_KEY*** and more');
  for (let cut = 1; cut < text.length; cut++) {
    const pieces = masker.createPieces();
    const streamed = pieces.push(text.slice(0, cut)) + pieces.push(text.slice(cut)) + pieces.end();
    expect(streamed).toBe('***API_KEY******API_KEY*** and more');
  }
});
