import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { cleanText } from '../clipboard/clean-text.ts';
import { MARKERS, maskedPieces } from '../clipboard/masked-pieces.ts';

const MARKER_START = '***';

/**
 * Markup in an answer is shown as text, and images as their description. Markers look like bold italics to Markdown;
 * here they stay what they are.
 */
const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    html: ({ text, block }) => (block ? `<p>${escapeHtml(text)}</p>` : escapeHtml(text)),
    image: ({ text }) => escapeHtml(text),
  },
  extensions: [
    {
      name: 'marker',
      level: 'inline',
      start: (source) => {
        const at = source.indexOf(MARKER_START);
        return at < 0 ? undefined : at;
      },
      tokenizer(source) {
        const raw = MARKERS.find((marker) => source.startsWith(marker));
        return raw === undefined ? undefined : { type: 'marker', raw };
      },
      renderer: ({ raw }) => raw,
    },
  ],
});

/** What Markdown needs, and nothing that loads, runs, moves or looks like the page itself. */
const TAGS = 'p br hr h1 h2 h3 h4 h5 h6 strong em del code pre blockquote ul ol li a table thead tbody tr th td'.split(
  ' ',
);
const WEB_LINK = /^https?:\/\//i;

/**
 * Renders masked Markdown as nodes. The text is hostile until it has passed the sanitiser: no images, no styles, no
 * handlers, links to http(s) alone, and these in a new window that knows nothing of this one. Masks become chips.
 */
export function renderMarkdown(text: string): DocumentFragment {
  const html = marked.parse(cleanText(text), { async: false });
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'start', 'align'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll('a')) secureLink(link);
  for (const block of fragment.querySelectorAll('pre, table')) makeScrollable(block);
  drawChips(fragment);
  return fragment;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function secureLink(link: HTMLAnchorElement): void {
  const target = link.getAttribute('href') ?? '';
  // A masked address leads nowhere.
  if (!WEB_LINK.test(target) || target.includes(MARKER_START)) {
    link.replaceWith(...link.childNodes);
    return;
  }
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
}

/** Wide blocks scroll by themselves, which must work by keyboard. */
function makeScrollable(block: Element): void {
  const frame = block.tagName === 'TABLE' ? document.createElement('div') : (block as HTMLElement);
  if (frame !== block) {
    block.replaceWith(frame);
    frame.append(block);
  }
  frame.classList.add('scroll');
  frame.tabIndex = 0;
  frame.setAttribute('role', 'region');
  frame.setAttribute('aria-label', block.tagName === 'TABLE' ? 'Table' : 'Code');
}

/** Draws each marker in the text as a chip that copies as the marker. */
function drawChips(fragment: DocumentFragment): void {
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    if (text.data.includes(MARKER_START)) found.push(text);
  }
  for (const text of found) text.replaceWith(...maskedPieces(text.data).map(pieceNode));
}

function pieceNode({ text, name }: { readonly text: string; readonly name?: string }): Node {
  if (name === undefined) return document.createTextNode(text);
  const chip = document.createElement('span');
  chip.className = 'chip';
  chip.dataset['marker'] = text;
  chip.dataset['name'] = name;
  chip.textContent = text;
  return chip;
}
