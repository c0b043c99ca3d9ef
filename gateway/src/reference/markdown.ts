import { type Html, html } from './html.ts';

/**
 * HTML of a document of ours, for a reader without the sources at hand. It knows what `docs/runbooks` is written in, a part
 * of Markdown: headings, paragraphs, lists, tables, blocks of code, and in a line code, links, strong and emphasised text.
 * Whatever else stands there is shown as it is written. Not for texts from outside: it bounds nothing.
 *
 * @param target where a link leads, by what stands in the document; `undefined` where the reader cannot follow it, which
 *   leaves its text, with the path beside it
 */
export function renderMarkdown(text: string, target: (link: string) => string | undefined): Html[] {
  const lines = text.split('\n');
  const blocks: Html[] = [];
  let at = 0;
  /** The lines from here on of which something is true. */
  const takeWhile = (isOne: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && isOne(lines[at] ?? '')) at++;
    return lines.slice(from, at);
  };
  const inline = (part: string) => renderLine(part, target);
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const heading = /^(#{1,3}) (.*)$/.exec(line);
    if (line.trim() === '') {
      at++;
    } else if (heading) {
      at++;
      blocks.push(headingOf(heading[1]?.length ?? 1, inline(heading[2] ?? '')));
    } else if (line.startsWith('```')) {
      at++;
      const code = takeWhile((other) => !other.startsWith('```'));
      at++;
      blocks.push(html`<pre tabindex="0"><code>${code.join('\n')}</code></pre>`);
    } else if (line.startsWith('|')) {
      blocks.push(tableOf(takeWhile((other) => other.startsWith('|')).map(cellsOf), inline));
    } else if (isItem(line)) {
      const items = itemsOf(takeWhile((other) => isItem(other) || /^ +\S/.test(other))).map(
        (item) => html`<li>${inline(item)}</li>`,
      );
      blocks.push(/^\d/.test(line) ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`);
    } else {
      blocks.push(html`<p>${inline(takeWhile((other) => other.trim() !== '' && !isBlock(other)).join(' '))}</p>`);
    }
  }
  return blocks;
}

function headingOf(level: number, text: readonly Html[]): Html {
  if (level === 1) return html`<h1>${text}</h1>`;
  return level === 2 ? html`<h2>${text}</h2>` : html`<h3>${text}</h3>`;
}

function isItem(line: string): boolean {
  return /^(?:-|\d{1,2}\.) \S/.test(line);
}

/** Whether a line ends the paragraph before it. */
function isBlock(line: string): boolean {
  return isItem(line) || /^(?:#{1,3} |```|\|)/.test(line);
}

/** The texts of a list's items; a line that is indented goes on with the item before it. */
function itemsOf(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    if (isItem(line)) items.push(line.slice(line.indexOf(' ') + 1));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return items;
}

function cellsOf(line: string): string[] {
  const cells = line.split('|').map((cell) => cell.trim());
  return cells.slice(1, -1);
}

/** The second row is the rule below the head. */
function tableOf([head = [], , ...rows]: readonly string[][], inline: (part: string) => Html[]): Html {
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr>${head.map((cell) => html`<th scope="col">${inline(cell)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** A part of a line that a mark begins: its HTML, and where the text goes on. */
interface Marked {
  readonly html: Html;
  readonly end: number;
}

function renderLine(text: string, target: (link: string) => string | undefined): Html[] {
  const parts: Html[] = [];
  let from = 0;
  for (let at = 0; at < text.length; ) {
    const marked = markedAt(text, at, target);
    if (marked) {
      parts.push(html`${text.slice(from, at)}`, marked.html);
      from = marked.end;
    }
    at = marked?.end ?? at + 1;
  }
  return [...parts, html`${text.slice(from)}`];
}

function markedAt(text: string, at: number, target: (link: string) => string | undefined): Marked | undefined {
  const between = (open: string, close: string): string | undefined => {
    if (!text.startsWith(open, at)) return undefined;
    const end = text.indexOf(close, at + open.length);
    return end > at + open.length ? text.slice(at + open.length, end) : undefined;
  };
  const code = between('`', '`');
  if (code !== undefined) return { html: html`<code>${code}</code>`, end: at + code.length + 2 };
  const strong = between('**', '**');
  if (strong !== undefined) return { html: html`<strong>${strong}</strong>`, end: at + strong.length + 4 };
  const emphasis = between('*', '*');
  // A star with a space behind it is one.
  if (emphasis !== undefined && !emphasis.startsWith(' ')) {
    return { html: html`<em>${emphasis}</em>`, end: at + emphasis.length + 2 };
  }
  const words = between('[', '](');
  const end = words === undefined ? -1 : text.indexOf(')', at + words.length + 3);
  if (words === undefined || end < 0) return undefined;
  const link = text.slice(at + words.length + 3, end);
  return { html: linkTo(target(link), renderLine(words, target), link), end: end + 1 };
}

function linkTo(address: string | undefined, words: readonly Html[], path: string): Html {
  if (address !== undefined) return html`<a href="${address}">${words}</a>`;
  return html`${words} (<code>${path.replace(/^(?:\.\.\/)+/, '')}</code>)`;
}
