/**
 * Writes the filter of common words: those that the documents and sources of many packages hold, and the translations of
 * many programs. Only bits are kept of them.
 *   npm run masking-words -- node_modules /usr/share/doc /usr/lib/python3 /usr/share/locale
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bitsOf } from '../../../worker/src/masking/common-words.ts';
import { filesIn, textOf } from './read-texts.ts';

/** Languages whose sentences and forms masking reads, as `/usr/share/locale` calls them. */
const LANGUAGES = 'de es fr pt pt_BR nl id ms it ru pl tr sv da nb'.split(' ');
/** A word is common that so many packages hold, or so many programs' translations. */
const PACKAGES = 6;
const PROGRAMS = 4;
const [SHORTEST, LONGEST] = [3, 20];
const BITS_OF_WORD = 9;
const LONGEST_LINE = 400;
/** Names of countries, languages and alphabets. */
const OF_NAMES = /^iso/;

const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error('Usage: npm run masking-words -- FOLDER…');
  process.exit(1);
}
const isLocale = (folder: string) => /locale\/?$/.test(folder);
const packagesOf = new Map<string, Set<string>>();
for (const folder of folders.filter((one) => !isLocale(one))) readPackages(folder);
const common = new Set([...packagesOf].filter(([, names]) => names.size >= PACKAGES).map(([word]) => word));
console.log(`${common.size} words of ${PACKAGES} packages and more`);
for (const folder of folders.filter(isLocale)) for (const language of LANGUAGES) readTranslations(folder, language);
writeBits();

function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const line of text.split('\n')) {
    if (line.length > LONGEST_LINE) continue;
    for (const [word] of line.matchAll(/\p{Lu}?\p{Ll}{2,}/gu))
      if (word.length >= SHORTEST && word.length <= LONGEST) words.add(word.toLowerCase());
  }
  return words;
}

function readPackages(folder: string): void {
  const depth = folder.split('/').filter(Boolean).length;
  for (const { path } of filesIn(folder)) {
    const parts = path.split('/').filter(Boolean);
    const name = parts.slice(0, parts[depth]?.startsWith('@') === true ? depth + 2 : depth + 1).join('/');
    for (const word of wordsOf(textOf(path) ?? '')) {
      const names = packagesOf.get(word) ?? new Set();
      if (names.size < PACKAGES) packagesOf.set(word, names.add(name));
    }
  }
}

function readTranslations(folder: string, language: string): void {
  const programs = new Map<string, number>();
  const messages = join(folder, language, 'LC_MESSAGES');
  for (const file of readdirSync(messages).filter((name) => name.endsWith('.mo') && !OF_NAMES.test(name)))
    for (const word of wordsOf(translationsOf(readFileSync(join(messages, file)))))
      programs.set(word, (programs.get(word) ?? 0) + 1);
  const words = [...programs].filter(([, count]) => count >= PROGRAMS).map(([word]) => word);
  for (const word of words) common.add(word);
  console.log(`${language}: ${words.length} words of ${PROGRAMS} programs and more`);
}

/** The translated texts of a catalogue (GNU gettext, The Format of GNU MO Files). */
function translationsOf(file: Buffer): string {
  if (file.readUInt32LE(0) !== 0x950412de) return '';
  const [count, table] = [file.readUInt32LE(8), file.readUInt32LE(16)];
  return Array.from({ length: count }, (_, index) => {
    const [length, start] = [file.readUInt32LE(table + index * 8), file.readUInt32LE(table + index * 8 + 4)];
    return index === 0 ? '' : file.toString('utf8', start, start + length);
  }).join('\n');
}

function writeBits(): void {
  const bytes = Buffer.alloc(Math.ceil((common.size * BITS_OF_WORD) / 8));
  for (const word of common)
    for (const bit of bitsOf(word, bytes.length * 8)) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (1 << (bit & 7));
  const lines = bytes.toString('base64').match(/.{1,320}/g) ?? [];
  writeFileSync(
    new URL('../../../worker/src/masking/common-word-bits.ts', import.meta.url),
    `/** Made by \`npm run masking-words\`: a filter of ${common.size} words, in base64. */\nexport const COMMON_WORD_BITS = [\n${lines.map((line) => `  '${line}',`).join('\n')}\n].join('');\n`,
  );
  console.log(`${common.size} words, ${bytes.length} bytes`);
}
