const SHOWN_VALUE_CHARS = 60;

/** A value that was given, for an error message: text and numbers as JSON, cut where long; of the rest, what it is. */
export function showValue(value: unknown): string {
  // Not as JSON: it may be nested deeper than the stack.
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = String(value).toWellFormed();
  const characters = Array.from(text.slice(0, 2 * SHOWN_VALUE_CHARS + 2));
  return JSON.stringify(
    characters.length > SHOWN_VALUE_CHARS ? `${characters.slice(0, SHOWN_VALUE_CHARS).join('')}…` : text,
  );
}
