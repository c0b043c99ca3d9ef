import { Marked, type RendererObject } from 'marked';
import { Html, html } from './html.ts';

/**
 * HTML of a document of ours in Markdown, for a reader without the sources at hand. HTML in the document is shown as it is
 * written. Not for texts from outside: it bounds nothing.
 *
 * @param target where a link leads, by what stands in the document; `undefined` where the reader cannot follow it, which
 *   leaves its text, with the path beside it
 */
export function renderMarkdown(text: string, target: (link: string) => string | undefined): Html {
  return new Html(new Marked({ renderer: rendererOf(target) }).parse(text, { async: false }));
}

/** What differs from the usual HTML: what can be scrolled is reached by the keyboard, and heads of tables say what they are. */
function rendererOf(target: (link: string) => string | undefined): RendererObject {
  return {
    code: ({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>`.text,
    html: ({ text }) => html`${text}`.text,
    table({ header, rows }) {
      const head = header.map(({ tokens }) => `<th scope="col">${this.parser.parseInline(tokens)}</th>`);
      const body = rows.map((row) => {
        const cells = row.map(({ tokens }) => `<td>${this.parser.parseInline(tokens)}</td>`);
        return `<tr>${cells.join('')}</tr>`;
      });
      return `<div class="scroll" tabindex="0"><table>
<thead><tr>${head.join('')}</tr></thead>
<tbody>${body.join('')}</tbody></table></div>`;
    },
    link({ href, tokens }) {
      const words = new Html(this.parser.parseInline(tokens));
      const address = target(href);
      if (address !== undefined) return html`<a href="${address}">${words}</a>`.text;
      return html`${words} (<code>${href.replace(/^(?:\.\.\/)+/, '')}</code>)`.text;
    },
  };
}
