/**
 * Characters that are not seen but change what is: control characters (a terminal acts on its escapes), line
 * separators, and format characters such as the marks that turn the direction of writing (`gpj.exe` shown as
 * `exe.jpg`). The two joiners are none of them: Persian, the scripts of India and emoji are not written without.
 */
const HIDDEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The first one's name, such as `U+202E`; `undefined` where there is none. */
export function findHidden(text: string): string | undefined {
  const [first] = text.match(HIDDEN) ?? [];
  return first === undefined ? undefined : nameOf(first);
}

export function withoutHidden(text: string): string {
  return text.replaceAll(HIDDEN, '');
}

/** The text with their names in their places, `<U+202E>`: safe to print. */
export function showHidden(text: string): string {
  return text.replaceAll(HIDDEN, (character) => `<${nameOf(character)}>`);
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
