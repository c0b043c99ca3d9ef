const ESCAPE = String.fromCodePoint(0x1b);
const BELL = String.fromCodePoint(0x07);
const CONTROL_SEQUENCE = String.fromCodePoint(0x9b);

/** Terminal escape sequences, whole, so that no `[31m` stays behind. */
const ANSI = new RegExp(
  [
    String.raw`(?:${ESCAPE}\[|${CONTROL_SEQUENCE})[0-?]*[ -/]*[@-~]`,
    String.raw`${ESCAPE}\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\)?`,
    String.raw`${ESCAPE}[@-Z\\^_]`,
  ].join('|'),
  'g',
);
/** Control characters except tab and line feed. */
const CONTROL = /[^\P{Cc}\t\n]/gu;
/**
 * Characters that show nothing and may carry something: zero-width ones, direction marks and overrides, tags,
 * annotations and variation selectors, except the one that emoji need.
 */
const INVISIBLE = /(?!\uFE0F)[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu;

/** Text as a reader may see and copy it: what is invisible, or would steer a terminal or the direction, is gone. */
export function cleanText(text: string): string {
  return text
    .replaceAll(ANSI, '')
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(CONTROL, '')
    .replaceAll(INVISIBLE, '');
}
