import { cleanText } from '../clipboard/clean-text.ts';

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00A0' };
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi;
const LAST_CODE_POINT = 0x10_ff_ff;

/**
 * The characters that entities of Markdown stand for; those of other names stay as they were written. A control character or a
 * direction mark that was spelled out, which the parser may have decoded before, is no more welcome than one that was sent.
 */
export function decodeEntities(text: string): string {
  const decoded = text.replaceAll(ENTITY, (whole, decimal?: string, hexadecimal?: string, name = '') => {
    if (decimal === undefined && hexadecimal === undefined) return NAMED[name] ?? whole;
    const code = Number.parseInt(decimal ?? hexadecimal ?? '', decimal === undefined ? 16 : 10);
    return code > LAST_CODE_POINT ? whole : String.fromCodePoint(code);
  });
  return cleanText(decoded);
}
