import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { cleanText } from '../clipboard/clean-text.ts';

const marked = new Marked({ gfm: true, breaks: false });

/** What Markdown needs, and nothing that loads, runs, moves or looks like the page itself. */
const TAGS = 'p br hr h1 h2 h3 h4 h5 h6 strong em del code pre blockquote ul ol li a table thead tbody tr th td'.split(
  ' ',
);
const WEB_LINK = /^https?:\/\//i;

/**
 * Renders masked Markdown as nodes. The text is hostile until it has passed the sanitiser: no images, no styles, no
 * handlers, links to http(s) alone, and these in a new window that knows nothing of this one.
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
  return fragment;
}

function secureLink(link: HTMLAnchorElement): void {
  if (!WEB_LINK.test(link.getAttribute('href') ?? '')) {
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
