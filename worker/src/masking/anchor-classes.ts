import { CODE, lowerCase } from './characters.ts';
import { ANY_DIGIT } from './finding.ts';

/** Characters of one class; all others are of class 0. Common letters have a class each, rare ones share one. */
const CLASS_MEMBERS = [
  ...Array.from('abcdefghiklmnoprstu'),
  'vw',
  'y',
  'jqxz',
  `0123456789${ANY_DIGIT}`,
  ' ',
  '\n',
  '.',
  ':',
  '/',
  '-_',
  '=',
  '|?@',
];
/** From `À` to the last Cyrillic letter, and from the first radical of Chinese on; punctuation and boxes lie between. */
const FIRST_FOREIGN_LETTER = 0xc0;
const AFTER_LATIN_AND_CYRILLIC = 0x530;
const FIRST_EASTERN_LETTER = 0x2e80;
const FOREIGN_CLASSES = ['vw', 'y', 'jqxz', ':', '/', '=', '|?@'].map((members) => CLASS_MEMBERS.indexOf(members) + 1);

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
