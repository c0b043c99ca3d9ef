import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { anchorsOf } from '../compile-rules.ts';
import { ANY_DIGIT } from '../finding.ts';
import { ALL_RULES } from '../rules/all-rules.ts';
import { HEX_DIGITS, LETTERS_DIGITS } from '../rules/rule.ts';
import type { HostileText } from './hostile-texts.ts';

/** What may stand between an anchor and what follows it. */
const JOINTS = [
  ...Array.from(' \n\t=:;,.|/-_@"\'`([{<>)]}*#&%$\\~+?!aA1é'),
  ...['="', ': "', '=${', '=<', "('a','", '%22', '\\n'],
];

/** Ways to put anchors together: nothing in such a text repeats itself, so nothing is known of one place from another. */
const WAYS = ['alone', 'with blanks', 'with joints', 'with values', 'with words', 'filled'] as const;

/**
 * Texts that hold anchors in random order between random fillings: of every rule its own anchors, and those of all rules
 * together, each in every way. A new rule is among them without being told. The same texts for the same seed, one by one:
 * a longer one begins as a shorter one of its name.
 *
 * @param length of each text, characters
 * @param wanted whether the text of a name is made
 */
export function* mixedTexts(
  seed: number,
  length: number,
  wanted: (name: string) => boolean = () => true,
): Generator<HostileText> {
  let random = seededRandom(seed);
  const pick = <T>(list: ArrayLike<T>): T => list[Math.floor(random() * list.length)] as T;
  const draw = (size: number, alphabet: string) => Array.from({ length: size }, () => pick(alphabet)).join('');
  const value = () =>
    pick([
      () => draw(8, LETTERS_DIGITS),
      () => draw(24, LETTERS_DIGITS),
      () => draw(12, HEX_DIGITS),
      () => draw(6, 'abcdefghijklmnopqrstuvwxyz'),
      () => `kopi-${draw(3, LETTERS_DIGITS)}-7`,
      () => String(Math.floor(random() * 256)),
      () => '',
    ])();
  const make = {
    alone: (anchor: string) => anchor,
    'with blanks': (anchor: string) => `${anchor} `,
    'with joints': (anchor: string) => anchor + pick(JOINTS),
    'with values': (anchor: string) => `${anchor}=${draw(12, LETTERS_DIGITS)}\n`,
    'with words': (anchor: string) => `${anchor} ${draw(6, LETTERS_DIGITS)} `,
    filled: (anchor: string) => anchor + pick(JOINTS) + value() + pick(JOINTS),
  };
  let made = 0;
  for (const { name, anchors } of [{ name: 'all rules', anchors: textsOf(ALL_RULES) }, ...byRule()]) {
    for (const way of WAYS) {
      const full = `${name}, ${way}`;
      const own = seed + 7_919 * ++made;
      if (!wanted(full)) continue;
      random = seededRandom(own);
      const parts: string[] = [];
      for (let size = 0; size < length; size += parts.at(-1)?.length ?? 0) parts.push(make[way](pick(anchors)));
      yield { name: full, text: parts.join('').slice(0, length) };
    }
  }
}

function byRule(): { name: string; anchors: string[] }[] {
  return ALL_RULES.map((rule) => ({ name: rule.name, anchors: textsOf([rule]) })).filter(
    ({ anchors }) => anchors.length > 0,
  );
}

function textsOf(rules: typeof ALL_RULES): string[] {
  return [...new Set(anchorsOf(rules).map(({ text }) => text.replaceAll(ANY_DIGIT, '7')))];
}
