import { useEffect, useRef } from 'preact/hooks';

/** Longest answer that is rendered as Markdown, characters; beyond, a browser would stall. */
const RENDERED_CHARACTERS = 100_000;
/** Longest that is rendered while it grows, and how often, ms. */
const GROWING_CHARACTERS = 20_000;
const RENDER_EVERY_MS = 120;

/** The renderer, once it is here. */
let render: ((text: string) => Node) | undefined;

/**
 * Masked text as Markdown; as plain text until the renderer is here, and where it is too long to render. The
 * renderer makes text of all that it does not know.
 */
export function Markdown({ text, isGrowing }: { readonly text: string; readonly isGrowing: boolean }) {
  const frame = useRef<HTMLDivElement>(null);
  const drawnAt = useRef(0);
  useEffect(() => {
    let isCurrent = true;
    const draw = async () => {
      const element = frame.current;
      if (element === null) return;
      drawnAt.current = performance.now();
      const isShort = text.length <= (isGrowing ? GROWING_CHARACTERS : RENDERED_CHARACTERS);
      if (!isShort || render === undefined) element.replaceChildren(plain(text));
      if (!isShort) return;
      render ??= (await import('./render-markdown.ts')).renderMarkdown;
      if (isCurrent) element.replaceChildren(render(text));
    };
    const wait = isGrowing ? drawnAt.current + RENDER_EVERY_MS - performance.now() : 0;
    // Where the renderer cannot be loaded, the text stays plain, and grows all the same.
    const timer = setTimeout(() => void draw().catch(() => undefined), Math.max(0, wait));
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, isGrowing]);
  return <div class="markdown" ref={frame} />;
}

function plain(text: string): HTMLElement {
  const element = document.createElement('pre');
  const more = text.length - RENDERED_CHARACTERS;
  element.textContent = text.slice(0, RENDERED_CHARACTERS) + (more > 0 ? `\n… +${more}` : '');
  return element;
}
