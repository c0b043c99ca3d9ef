import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDERS = '{docs,deploy,dashboard,worker,e2e,cli,gateway,shared,stats-service,.github}';
const DOCUMENTS = globSync(['*.md', `${FOLDERS}/**/*.md`], {
  cwd: ROOT,
  exclude: (path) => /(?:^|\/)(?:node_modules|dist|testing)(?:\/|$)/.test(path),
});

/** What stands in code leads nowhere. */
function withoutCode(text: string): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').replaceAll(/`[^`\n]*`/g, '');
}

/** The marks of a document's headings, as GitHub makes them. */
function marksOf(path: string): Set<string> {
  const text = readFileSync(path, 'utf8').replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
  const marks = new Set<string>();
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.*)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const mark = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    // A heading that comes again gets a number.
    let [free, again] = [mark, 0];
    while (marks.has(free)) free = `${mark}-${++again}`;
    marks.add(free);
  }
  return marks;
}

function brokenLinks(document: string): string[] {
  const links = [
    ...withoutCode(readFileSync(join(ROOT, document), 'utf8')).matchAll(
      /\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g,
    ),
  ];
  return links
    .map(([, link = '', source = '']) => link || source)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      // Of templates, which are read beside the issue or pull request that they become.
      const [path = '', mark] = link.replace(/^\.\.\/blob\/main\//, '../').split('#');
      const target = path === '' ? join(ROOT, document) : join(ROOT, dirname(document), path);
      if (!existsSync(target)) return true;
      return mark !== undefined && statSync(target).isFile() && target.endsWith('.md') && !marksOf(target).has(mark);
    });
}

test.each(DOCUMENTS)('every link of %s leads somewhere', (document) => {
  expect(brokenLinks(document)).toEqual([]);
});

/** Files and folders of the sources. */
const SOURCES = globSync(['*', '.github/**/*', `${FOLDERS}/**/*`], {
  cwd: ROOT,
  exclude: (path) => /(?:^|\/)(?:node_modules|dist)(?:\/|$)/.test(path),
});
/** Stand for any file, or are made by operators. */
const EXAMPLES = new Set(['x.ts', 'x.test.ts', 'x.int.test.ts', 'models.yaml']);
const WHOLE_PATH = new RegExp(`^${FOLDERS.replace('{', '(?:').replace('}', ')').replaceAll(',', '|')}/[\\w./*{},-]+$`);
const FILE_NAME = /^(?:[\w-]+\/)*[\w.-]+\.(?:ts|tsx|lua|mjs|ya?ml)$/;

/** A path from the root, which may have a pattern in it, or the end of one. */
function isThere(named: string): boolean {
  if (WHOLE_PATH.test(named)) return globSync(named.replace(/\/$/, ''), { cwd: ROOT }).length > 0;
  return !FILE_NAME.test(named) || SOURCES.some((path) => path === named || path.endsWith(`/${named}`));
}

test.each(DOCUMENTS)('every file and folder that %s names is there', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8').replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
  const named = [...text.matchAll(/`([^`\s]+)`/g)].map(([, code = '']) => code);
  expect(named.filter((code) => !EXAMPLES.has(code) && !isThere(code))).toEqual([]);
});

test('a path that is nowhere is found out', () => {
  expect(['worker/src/none.ts', 'none.lua', 'docs/none/'].filter(isThere)).toEqual([]);
  expect(
    ['worker/src/*.ts', 'admit.lua', 'admission/admit.lua', 'npm', 'docs/'].filter((name) => !isThere(name)),
  ).toEqual([]);
});

test('the documents that readers begin with are among them', () => {
  expect(DOCUMENTS).toEqual(expect.arrayContaining(['README.md', 'docs/operating.md', 'docs/runbooks/no-workers.md']));
});
