import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Larger files are data rather than sources. */
const LARGEST_FILE = 4_000_000;
const DEEPEST = 24;

/** Languages by the endings of their files. */
const LANGUAGES: Readonly<Record<string, string>> = {
  javascript: '.js .mjs .cjs .jsx',
  typescript: '.ts .mts .cts .tsx',
  python: '.py .pyi .pyx',
  go: '.go',
  rust: '.rs',
  c: '.c .h .cc .cpp .hpp .hh .cxx .inl',
  java: '.java .kt .scala .groovy .gradle',
  csharp: '.cs .fs .vb',
  php: '.php .phtml',
  ruby: '.rb .gemspec .erb',
  perl: '.pl .pm .pod .t',
  shell: '.sh .bash .zsh .fish .ps1 .bat',
  lua: '.lua',
  tcl: '.tcl',
  sql: '.sql',
  lisp: '.el .scm .lisp',
  vim: '.vim',
  markdown: '.md .mdx .markdown',
  restructured: '.rst .rst.txt',
  html: '.html .htm .xhtml .vue .svelte',
  css: '.css .scss .less',
  xml: '.xml .xsd .xslt .svg .ui .plist .props .csproj .targets',
  json: '.json .json5 .jsonc',
  yaml: '.yaml .yml',
  configuration: '.toml .ini .cfg .conf .properties .cnf .service .desktop .tf .hcl .env',
  text: '.txt .text .adoc .org .tex .texi',
  translations: '.po .pot',
  changes: 'changelog news readme authors copyright',
};
const BY_ENDING = new Map(
  Object.entries(LANGUAGES).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language])),
);

export interface SourceFile {
  readonly path: string;
  readonly language: string;
}

/** The sources and documents below a folder, in the order of their names; links are not followed. */
export function* filesIn(folder: string, depth = 0): Generator<SourceFile> {
  if (statSync(folder).isFile()) {
    const language = languageOf(folder);
    if (language !== undefined) yield { path: folder, language };
    return;
  }
  if (depth > DEEPEST) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path, depth + 1);
    else if (entry.isFile()) {
      const language = languageOf(path);
      if (language !== undefined) yield { path, language };
    }
  }
}

function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const plain = name.endsWith('.gz') ? name.slice(0, -3) : name;
  if (plain.endsWith('.min.js') || plain.endsWith('.map')) return undefined;
  const ending = extname(plain);
  return BY_ENDING.get(ending) ?? BY_ENDING.get(plain.split('.', 1)[0] ?? '');
}

/** The text of a file, unpacked where it is packed; undefined where it is none, or too large. */
export function textOf(path: string): string | undefined {
  if (statSync(path).size > LARGEST_FILE) return undefined;
  const raw = readFileSync(path);
  // What is packed may claim any length; twenty times its own is what sources have at most.
  if (path.endsWith('.gz') && raw.length > LARGEST_FILE / 20) return undefined;
  const text = (path.endsWith('.gz') ? gunzipSync(raw) : raw).toString('utf8');
  return text.includes('\0') ? undefined : text;
}
