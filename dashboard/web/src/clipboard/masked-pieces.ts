import { formatCount } from '../tiles/format.ts';
import { masks } from '../words/masks.ts';

/** Markers that masking leaves. */
export const MARKERS = ['***API_SERVER***', '***API_KEY***', '***IP_ADDRESS***', '***DB_CONNECTION***'] as const;
const KNOWN: ReadonlySet<string> = new Set(MARKERS);

/** What a chip shows in a marker's place; in the document stands the marker itself, so that every way of copying gives it. */
export function chipName(marker: string): string {
  const { names, chip } = masks();
  return chip(names[marker as (typeof MARKERS)[number]]);
}

const MARKER = /(\*\*\*(?:API_SERVER|API_KEY|IP_ADDRESS|DB_CONNECTION)\*\*\*)/;

/** A stretch of masked text: plain, or a marker with the name of what it hides. */
export interface MaskedPiece {
  readonly text: string;
  readonly name?: string;
}

/** Splits masked text at its markers. */
export function maskedPieces(text: string): MaskedPiece[] {
  return text
    .split(MARKER)
    .filter((piece) => piece !== '')
    .map((piece) => (KNOWN.has(piece) ? { text: piece, name: chipName(piece) } : { text: piece }));
}

/** How many masks a text holds. */
export function countMasks(text: string): number {
  return text.split(MARKER).filter((piece) => KNOWN.has(piece)).length;
}

/** What the page says after a copy. */
export function copyNotice(text: string): string {
  const count = countMasks(text);
  const words = masks();
  if (count === 0) return words.copied;
  return count === 1 ? words.copiedOne : words.copiedMany(formatCount(count));
}
