const SHOWN_VALUE_CHARS = 60;

/** A value that was given, for an error message: as JSON text, cut where it is long. */
export function showValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const characters = Array.from(text.toWellFormed());
  const cut =
    characters.length > SHOWN_VALUE_CHARS ? `${characters.slice(0, SHOWN_VALUE_CHARS).join('')}…` : text.toWellFormed();
  return JSON.stringify(cut);
}
