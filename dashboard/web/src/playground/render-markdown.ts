import { Marked, type Token, type Tokens } from 'marked';
import { cleanText } from '../clipboard/clean-text.ts';
import { MARKERS, maskedPieces } from '../clipboard/masked-pieces.ts';
import { playground } from '../words/playground.ts';
import { decodeEntities } from './decode-entities.ts';

const MARKER_START = '***';

/** Markers look like bold italics to Markdown; here they stay what they are. */
const marked = new Marked({
  gfm: true,
  breaks: false,
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
    },
  ],
});

const WEB_LINK = /^https?:\/\//i;
/** What is deeper is shown as it was written: a browser draws a document of a thousand levels slowly, or not at all. */
const DEEPEST = 30;

/** Elements that have tokens in them and nothing else. */
const FRAMES: Readonly<Record<string, string>> = {
  blockquote: 'blockquote',
  paragraph: 'p',
  list_item: 'li',
  strong: 'strong',
  em: 'em',
  del: 'del',
};

/**
 * Renders masked Markdown as nodes. The text is hostile: nothing of it is ever parsed as markup. Each element is made here, of
 * a few kinds that load, run and move nothing, and everything else goes in as text; markup is shown as it was written, images
 * as their description. Links lead to http(s) alone, in a new window that knows nothing of this one. Masks become chips.
 */
export function renderMarkdown(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  fragment.append(...nodesOf(marked.lexer(cleanText(text)), 0));
  return fragment;
}

function nodesOf(tokens: readonly Token[] | undefined, depth: number): Node[] {
  return (tokens ?? []).flatMap((token) => (depth > DEEPEST ? textNodes(token.raw) : nodeOf(token, depth)));
}

function nodeOf(token: Token, depth: number): Node | Node[] {
  const within = (tokens: readonly Token[] | undefined) => nodesOf(tokens, depth + 1);
  const { type } = token;
  const frame = FRAMES[type];
  if (frame !== undefined) return element(frame, within((token as Tokens.Generic).tokens));
  switch (type) {
    case 'heading': {
      const { depth: level, tokens } = token as Tokens.Heading;
      return element(`h${level}`, within(tokens));
    }
    case 'code': {
      return scrollable(
        element('pre', [element('code', textNodes((token as Tokens.Code).text))]),
        playground().codeBlock,
      );
    }
    case 'codespan': {
      return element('code', textNodes((token as Tokens.Codespan).text));
    }
    case 'list': {
      return listOf(token as Tokens.List, depth);
    }
    case 'table': {
      return tableOf(token as Tokens.Table, depth);
    }
    case 'link': {
      return linkOf(token as Tokens.Link, depth);
    }
    case 'hr':
    case 'br': {
      return element(type, []);
    }
    case 'space':
    case 'def': {
      return [];
    }
    case 'html': {
      const { block, text } = token as Tokens.HTML;
      return block ? element('p', textNodes(text)) : textNodes(text);
    }
    case 'checkbox': {
      return textNodes((token as Tokens.Checkbox).checked ? '☑ ' : '☐ ');
    }
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? textNodes(decodeEntities(text)) : within(tokens);
    }
    default: {
      return textNodes(decodeEntities(type === 'marker' ? token.raw : (token as Tokens.Generic)['text']));
    }
  }
}

function listOf({ ordered, start, items }: Tokens.List, depth: number): HTMLElement {
  const list = element(ordered ? 'ol' : 'ul', nodesOf(items, depth + 1));
  if (list instanceof HTMLOListElement && typeof start === 'number' && start !== 1) list.start = start;
  return list;
}

function tableOf({ header, rows }: Tokens.Table, depth: number): HTMLElement {
  const rowOf = (cells: readonly Tokens.TableCell[], name: 'th' | 'td') =>
    element(
      'tr',
      cells.map(({ tokens, align }) => {
        const cell = element(name, nodesOf(tokens, depth + 1));
        if (align !== null) cell.setAttribute('align', align);
        return cell;
      }),
    );
  const table = element('table', [
    element('thead', [rowOf(header, 'th')]),
    element(
      'tbody',
      rows.map((cells) => rowOf(cells, 'td')),
    ),
  ]);
  return scrollable(element('div', [table]), playground().table);
}

/** A masked address leads nowhere. */
function linkOf({ href, tokens }: Tokens.Link, depth: number): Node | Node[] {
  const inside = nodesOf(tokens, depth + 1);
  if (!WEB_LINK.test(href) || href.includes(MARKER_START)) return inside;
  const link = element('a', inside) as HTMLAnchorElement;
  link.href = href;
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
  return link;
}

/** Wide blocks scroll by themselves, which must work by keyboard. */
function scrollable(frame: HTMLElement, name: string): HTMLElement {
  frame.classList.add('scroll');
  frame.tabIndex = 0;
  frame.setAttribute('role', 'region');
  frame.setAttribute('aria-label', name);
  return frame;
}

function element(name: string, inside: readonly Node[]): HTMLElement {
  const made = document.createElement(name);
  made.append(...inside);
  return made;
}

/** Text, with each marker in it as a chip that copies as the marker. */
function textNodes(text: string): Node[] {
  return maskedPieces(text).map(({ text: piece, name }) => {
    if (name === undefined) return document.createTextNode(piece);
    const chip = element('span', [document.createTextNode(piece)]);
    chip.className = 'chip';
    chip.dataset['marker'] = piece;
    chip.dataset['name'] = name;
    return chip;
  });
}
