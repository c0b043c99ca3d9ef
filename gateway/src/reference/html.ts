/** Text of a page that is safe to send: made by `html` or `trusted` alone. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Html[];

/** Makes HTML of a template; everything that is put in is escaped, unless it is HTML itself. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = literals[0] ?? '';
  parts.forEach((part, index) => {
    text += render(part) + (literals[index + 1] ?? '');
  });
  return new Html(text);
}

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return escapeHtml(String(part));
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/**
 * A whole page. Its one style sheet is ours, and it has no script unless one of ours is named.
 *
 * @param options its language, English unless given, and the path of its script
 */
export function page(title: string, body: Html, options: { language?: string; script?: string } = {}): string {
  const { language = 'en', script } = options;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/docs/style.css">
${
  script === undefined
    ? ''
    : html`<script src="${script}" defer></script>
`
}</head>
<body>
${body}
</body>
</html>
`.text;
}
