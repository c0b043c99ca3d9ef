/** Markers that masking leaves, and what they stand for. */
export const MASK_NAMES: Readonly<Record<string, string>> = {
  '***API_SERVER***': 'API server',
  '***API_KEY***': 'API key',
  '***IP_ADDRESS***': 'IP address',
  '***DB_CONNECTION***': 'Database connection',
};

/** What a chip shows in a marker's place; in the document stands the marker itself, so that every way of copying gives it. */
export function chipName(marker: string): string {
  return `${MASK_NAMES[marker]}, masked`;
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
    .map((piece) => {
      const name = MASK_NAMES[piece];
      return name === undefined ? { text: piece } : { text: piece, name };
    });
}

/** How many masks a text holds. */
export function countMasks(text: string): number {
  return text.split(MARKER).filter((piece) => piece in MASK_NAMES).length;
}

/** What the page says after a copy. */
export function copyNotice(text: string): string {
  const masks = countMasks(text);
  if (masks === 0) return 'Copied';
  return masks === 1 ? 'Copied; 1 secret stays masked' : `Copied; ${masks} secrets stay masked`;
}
