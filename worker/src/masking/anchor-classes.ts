import { CODE, isDigit, lowerCase } from './characters.ts';
import { ANY_DIGIT } from './finding.ts';

const DIGIT_CODE = ANY_DIGIT.charCodeAt(0);

/** Characters of one class; all others are of class 0. Common letters have a class each, rare ones share one. */
const CLASS_MEMBERS = [
  ...Array.from('abcdefghiklmnoprstu'),
  'vw',
  'y',
  'qxz',
  `0123456789${ANY_DIGIT}`,
  ' ',
  '\n',
  '.',
  ':',
  '/',
  '-_',
  '=j',
  '|?@',
];
/** From `À` to the last Cyrillic letter, and from the first radical of Chinese on; punctuation and boxes lie between. */
const FIRST_FOREIGN_LETTER = 0xc0;
const AFTER_LATIN_AND_CYRILLIC = 0x530;
const FIRST_EASTERN_LETTER = 0x2e80;
const FOREIGN_CLASSES = ['vw', 'y', 'qxz', ':', '/', '=j', '|?@'].map((members) => CLASS_MEMBERS.indexOf(members) + 1);

/** Bits of a class. */
export const BITS_OF_CLASS = 5;

/** The class of each code unit, by which the index of anchors knows it: 0 to 31. */
export function characterClasses(): Uint8Array {
  const classes = new Uint8Array(65_536);
  // Letters that ASCII has not are spread over classes of rare characters: in class 0 they would look like any bracket.
  for (let code = FIRST_FOREIGN_LETTER; code < classes.length; code++) {
    if (code >= AFTER_LATIN_AND_CYRILLIC && code < FIRST_EASTERN_LETTER) continue;
    classes[code] = FOREIGN_CLASSES[code % FOREIGN_CLASSES.length] ?? 0;
  }
  for (const [index, members] of CLASS_MEMBERS.entries())
    for (const member of members) classes[member.charCodeAt(0)] = index + 1;
  for (let upper: number = CODE.A; upper <= CODE.Z; upper++) classes[upper] = classes[lowerCase(upper)] ?? 0;
  return classes;
}

/** The characters of an anchor whose class says which they are, but for the case of a letter. */
export function charactersAlone(classes: Uint8Array): ReadonlySet<number> {
  const firsts = new Map<number, number>();
  const shared = new Set<number>();
  for (const [code, of] of classes.entries()) {
    // ANY_DIGIT stands for every digit.
    const folded = isDigit(code) ? DIGIT_CODE : lowerCase(code);
    const first = firsts.get(of) ?? folded;
    firsts.set(of, first);
    if (of === 0 || first !== folded) shared.add(of);
  }
  return new Set([...firsts].filter(([of]) => !shared.has(of)).map(([, first]) => first));
}
