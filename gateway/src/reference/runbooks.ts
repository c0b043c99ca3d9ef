import { readdirSync, readFileSync } from 'node:fs';
import { type Html, html, page } from './html.ts';
import { renderMarkdown } from './markdown.ts';

const FOLDER = new URL('../../../docs/runbooks/', import.meta.url);
/** The table of all of them. */
const INDEX = 'README';

/** Where runbooks are read: the table of all, and each by its name, with or without `.md`. */
export const RUNBOOKS_PATH = '/docs/runbooks';

/**
 * The runbooks of these sources as pages, so that what is wrong can be looked up wherever the service runs: in an image or
 * an installed package nobody has the files open. Each page is made when it is first asked for, and kept.
 *
 * @returns a function of the name in the path, `undefined` for the table of all; it gives the page as HTML in UTF-8, or
 *   `undefined` where there is no such runbook, or the sources came without any. Never throws.
 */
export function createRunbooks(): (name: string | undefined) => Buffer | undefined {
  const made = new Map<string, Buffer>();
  let names: ReadonlySet<string> | undefined;
  return (asked = INDEX) => {
    names ??= namesOfRunbooks();
    const name = asked.replace(/\.md$/, '');
    // A name of the list, and no path: what callers send is never a part of a file's name.
    if (!names.has(name)) return undefined;
    let text = made.get(name);
    if (text === undefined) {
      text = Buffer.from(runbookPage(name));
      made.set(name, text);
    }
    return text;
  };
}

function namesOfRunbooks(): Set<string> {
  try {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith('.md'));
    return new Set(files.map((file) => file.slice(0, -'.md'.length)));
  } catch {
    return new Set();
  }
}

/** The paragraph of the table's page that says how the commands read in other set-ups: each page ends with it. */
const HOW_COMMANDS_READ = /^Commands .*(?:\n.+)*/m;

function runbookPage(name: string): string {
  const text = readRunbook(name);
  const [, title = name] = /^# (.*)$/m.exec(text) ?? [];
  const [note = ''] = name === INDEX ? '' : (HOW_COMMANDS_READ.exec(readRunbook(INDEX)) ?? '');
  const body = html`<header><p class="quiet">${wayBack(name)}</p></header>
<main>
${renderMarkdown(text, addressOf)}
</main>
<footer class="quiet">${renderMarkdown(note, addressOf)}</footer>`;
  return page(`${title} · Lontar`, body);
}

function readRunbook(name: string): string {
  return readFileSync(new URL(`${name}.md`, FOLDER), 'utf8');
}

function wayBack(name: string): Html {
  const dashboard = html`<a href="/">Dashboard</a>`;
  return name === INDEX ? dashboard : html`${dashboard}, <a href="${RUNBOOKS_PATH}">all runbooks</a>`;
}

/** Only runbooks are served: other documents are with the sources, and named by their path. */
function addressOf(link: string): string | undefined {
  const [, name] = /^([\w-]+)\.md$/.exec(link) ?? [];
  if (name !== undefined) return `${RUNBOOKS_PATH}/${name}`;
  return /^https?:\/\//.test(link) ? link : undefined;
}
