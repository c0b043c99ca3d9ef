/**
 * Masks the sources and documents in folders, file by file, and says how many lines of each language changed per megabyte.
 * What changes in texts that anybody may read is mostly wrong: a look at a sample says how much of it.
 *   npm run masking-scan -- node_modules /usr/lib/python3 /usr/share/doc
 *   npm run masking-scan -- --type key --language python --lines 40 --seed 7 /usr/lib/python3
 * A file whose content was met before counts once. `--lines` shows so many changed lines of each language, drawn by `--seed`.
 */
import { createHash } from 'node:crypto';
import { readOptions } from '@lontar/shared/testing/command-options.ts';
import { seededRandom } from '../../../shared/testing/seeded-random.ts';
import { createMasker } from '../../../worker/src/masking/mask.ts';
import { filesIn, textOf } from './read-texts.ts';

/** How much of a long line is shown, and how much of it before its first change. */
const LONGEST_SHOWN = 240;
const SHOWN_BEFORE = 120;

interface ChangedLine {
  readonly file: string;
  readonly rules: string;
  readonly before: string;
  readonly after: string;
}

interface Language {
  files: number;
  characters: number;
  lines: number;
  readonly byType: Map<string, number>;
  readonly byRule: Map<string, number>;
  readonly changed: ChangedLine[];
}

const values = readOptions({
  name: 'npm run masking-scan --',
  about: 'Says what masking changes in the texts of folders, by language.',
  options: {
    type: { type: 'text', value: 'TYPE', default: '', about: 'only url, key, ip or connection' },
    language: { type: 'text', value: 'NAME', default: '', about: 'only texts of this one' },
    rule: { type: 'text', value: 'NAME', default: '', about: 'only what this one changes' },
    lines: { type: 'number', value: 'N', default: 0, about: 'so many changed lines of each language are shown' },
    seed: { type: 'number', value: 'N', default: 1, about: 'what draws them' },
    most: { type: 'number', value: 'MB', default: 20, about: 'no more of each language' },
  },
  takes: 'FOLDER',
});

const { mask } = createMasker();
const mostCharacters = 1e6 * values.most;
const languages = new Map<string, Language>();
const known = new Set<string>();

for (const folder of values.rest) {
  for (const { path, language: name } of filesIn(folder)) {
    if (values.language !== '' && values.language !== name) continue;
    const language = languages.get(name) ?? newLanguage(name);
    if (language.characters >= mostCharacters) continue;
    const text = textOf(path);
    if (text === undefined) continue;
    const digest = createHash('sha1').update(text).digest('base64');
    if (known.has(digest)) continue;
    known.add(digest);
    scan(language, path, text);
  }
}
printTable();
printLines();

function newLanguage(name: string): Language {
  const language = { files: 0, characters: 0, lines: 0, byType: new Map(), byRule: new Map(), changed: [] };
  languages.set(name, language);
  return language;
}

function scan(language: Language, file: string, text: string): void {
  language.files++;
  language.characters += text.length;
  const { text: masked, spans } = mask(text);
  if (spans.length === 0) return;
  const before = text.split('\n');
  let [next, lineStart, from] = [0, 0, 0];
  for (const line of masked.split('\n')) {
    const end = lineStart + line.length;
    const here = [];
    for (let span = spans[next]; span !== undefined && span.start <= end; span = spans[++next]) here.push(span);
    const beginning = line.slice(0, (here[0]?.start ?? end) - lineStart);
    lineStart = end + 1;
    // Blocks of several lines became one: the line is the next that begins as it does.
    while (from < before.length && !before[from]?.startsWith(beginning)) from++;
    const was = before[from++] ?? '';
    const wanted = here.filter(
      ({ type, rule }) => (values.type === '' || type === values.type) && (values.rule === '' || rule === values.rule),
    );
    if (wanted.length === 0) continue;
    language.lines++;
    for (const type of new Set(wanted.map((span) => span.type))) count(language.byType, type);
    for (const rule of new Set(wanted.map((span) => span.rule))) count(language.byRule, rule);
    const rules = wanted.map(({ rule }) => rule).join(' ');
    const shown = Math.max(0, beginning.length - SHOWN_BEFORE);
    language.changed.push({ file, rules, before: shortened(was, shown), after: shortened(line, shown) });
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function printTable(): void {
  const rows = [...languages].sort(([, a], [, b]) => perMegabyte(b) - perMegabyte(a));
  console.log('language        files      MB   lines   lines/MB     key     url      ip  connection');
  for (const [name, language] of [...rows, ['all', sum()] as const]) {
    const { files, characters, lines, byType } = language;
    const types = ['key', 'url', 'ip', 'connection'].map((type) => String(byType.get(type) ?? 0).padStart(8)).join('');
    console.log(
      `${name.padEnd(14)}${String(files).padStart(7)}${(characters / 1e6).toFixed(1).padStart(8)}${String(lines).padStart(8)}${perMegabyte(language).toFixed(2).padStart(11)}${types}`,
    );
  }
  const byRule = [...sum().byRule].sort(([, a], [, b]) => b - a);
  console.log(byRule.map(([rule, lines]) => `${rule} ${lines}`).join(', '));
}

function perMegabyte({ lines, characters }: Language): number {
  return characters === 0 ? 0 : lines / (characters / 1e6);
}

function sum(): Language {
  const all: Language = { files: 0, characters: 0, lines: 0, byType: new Map(), byRule: new Map(), changed: [] };
  for (const { files, characters, lines, byType, byRule } of languages.values()) {
    all.files += files;
    all.characters += characters;
    all.lines += lines;
    for (const [type, number] of byType) all.byType.set(type, (all.byType.get(type) ?? 0) + number);
    for (const [rule, number] of byRule) all.byRule.set(rule, (all.byRule.get(rule) ?? 0) + number);
  }
  return all;
}

function printLines(): void {
  const random = seededRandom(values.seed);
  for (const [name, { changed }] of languages) {
    const drawn = changed
      .map((line) => ({ line, place: random() }))
      .sort((a, b) => a.place - b.place)
      .slice(0, values.lines);
    for (const { line } of drawn)
      console.log(`\n${name} ${line.file} (${line.rules})\n- ${line.before}\n+ ${line.after}`);
  }
}

function shortened(line: string, from: number): string {
  const part = line.slice(from, from + LONGEST_SHOWN);
  return `${from > 0 ? '…' : ''}${part}${from + LONGEST_SHOWN < line.length ? '…' : ''}`;
}
