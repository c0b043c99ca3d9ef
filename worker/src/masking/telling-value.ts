import { isShuffled } from './drawn-value.ts';
import { DEFAULT_WORDS, NAMES_STANDARD, TRADE_WORDS } from './lexicon/values.ts';
import { isMadeUp } from './made-up.ts';
import { isUncommonWords } from './plain-words.ts';
import type { TextWindow } from './text-window.ts';
import { isDrawnIn, isSecretIn, verdict } from './verdicts.ts';

/**
 * Values that show by themselves that a person or a generator made them as a password: `Tr4v!s#82`, `kopisusu77`,
 * `Birdhouse2019`, and no word, name of code, standard or type. Asked where a sentence says little.
 */
export function isTellingValue(window: TextWindow, value: string, isQuoted = false): boolean {
  if (value.length < SHORTEST || value.length > LONGEST || value.includes('***')) return false;
  if (DEFAULT_WORDS.has(value.toLowerCase()) || TRADE_WORDS.test(value) || NAMES_STANDARD.test(value)) return false;
  if (isDrawnIn(window, value)) return value.length >= SHORTEST_DRAWN && !/^(?:0x)?[\da-f-]+$|[/\\:]/i.test(value);
  if (isShuffled(value)) return true;
  if (/\d\D*\d/.test(value) && verdict(window, 'uncommon words', value, isUncommonWords)) return true;
  if (CAMEL.test(value) && verdict(window, 'uncommon capitals', value, isUncommonInCapitals)) return true;
  if (MARKED.test(value) && isPassword(window, value)) return true;
  return isQuoted && verdict(window, 'made-up', value, isMadeUp);
}

/** `KopiSusu77`: words that only their capitals part, and a number. */
const CAMEL = /^(?:[A-Z][a-z]{2,16}){2,3}\d{2,6}[!?]?$/;

function isUncommonInCapitals(value: string): boolean {
  return isUncommonWords(value.replaceAll(/([a-z])([A-Z])/g, '$1-$2'));
}

function isPassword(window: TextWindow, value: string): boolean {
  return isSecretIn(window, value, { name: 'password', quoted: true, environment: false, prose: false });
}

const [SHORTEST, LONGEST, SHORTEST_DRAWN] = [6, 64, 8];
/** Letters, a digit and a mark that joins no name, no number with its unit and no address. */
const MARKED = /^(?=[^\s]*[A-Za-z])(?=[^\s]*\d)(?=[^\s]*[!#$^&*+?~])[A-Za-z\d!@#$%^&*][A-Za-z\d!@#$%^&*+=?~_.,-]+$/;
