/** Longest message that the operator's log keeps, characters. */
const MOST_CHARS = 500;

/**
 * The message of an error as its caller got it, for the operator's log and the row of the request: whichever form the body
 * has. What it quotes of the request is left out, because nothing of a caller's words goes unmasked into a log, and the
 * gateway masks nothing.
 *
 * @param body of the answer as it was sent
 * @returns `undefined` for an answer that is no error
 */
export function toldMessage(body: unknown): string | undefined {
  const { message, error } = (body ?? {}) as { message?: unknown; error?: unknown };
  const inner = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : undefined;
  const said = [inner, message].find((text) => typeof text === 'string');
  if (typeof said !== 'string') return undefined;
  return withoutQuoted(said).slice(0, MOST_CHARS).toWellFormed();
}

/** Texts in double quotes, as `showValue` writes what was given, become `"…"`. */
function withoutQuoted(message: string): string {
  let kept = '';
  let from = 0;
  for (;;) {
    const start = message.indexOf('"', from);
    if (start < 0) return kept + message.slice(from);
    let end = start + 1;
    while (end < message.length && message[end] !== '"') end += message[end] === '\\' ? 2 : 1;
    kept += `${message.slice(from, start)}"…"`;
    from = end + 1;
  }
}
