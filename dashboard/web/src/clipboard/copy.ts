import { signal } from '@preact/signals';
import { masks } from '../words/masks.ts';
import { cleanText } from './clean-text.ts';
import { copyNotice } from './masked-pieces.ts';

/** How long the page says what a copy did, ms. */
const NOTICE_MS = 4_000;

/** What the last copy did; empty when that is long ago. */
export const notice = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says something to the reader for a moment. */
export function showNotice(text: string): void {
  notice.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => {
    notice.value = '';
  }, NOTICE_MS);
}

/** Puts masked text on the clipboard as plain text. */
export async function copyText(text: string): Promise<void> {
  const clean = cleanText(text);
  if (await writeClipboard(clean)) showNotice(copyNotice(clean));
  else showNotice(masks().notAllowed);
}

/** Makes every copy on the page plain text, with markers where chips stand; never markup. */
export function cleanCopies(): void {
  document.addEventListener('copy', (event) => {
    // Fields keep the browser's own way: what is in them, the reader typed.
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
    const selection = getSelection();
    if (selection === null || selection.isCollapsed || event.clipboardData === null) return;
    const clean = cleanText(selectedText(selection));
    event.clipboardData.setData('text/plain', clean);
    event.preventDefault();
    showNotice(copyNotice(clean));
  });
}

function selectedText(selection: Selection): string {
  const range = selection.getRangeAt(0);
  if (!hasChips(range.commonAncestorContainer)) return selection.toString();
  const copy = range.cloneContents();
  for (const chip of copy.querySelectorAll('[data-marker]')) chip.replaceWith(chip.getAttribute('data-marker') ?? '');
  // Blocks of rendered Markdown keep a line of their own, as they have on the screen.
  for (const block of copy.querySelectorAll('p, li, pre, tr, h1, h2, h3, h4, h5, h6, blockquote')) block.append('\n');
  for (const cell of copy.querySelectorAll('td, th')) cell.append('\t');
  return copy.textContent?.trimEnd() ?? '';
}

/** Where there are no chips, the browser's own line breaks are better. */
function hasChips(node: Node): boolean {
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest('[data-masked]') !== null || element?.querySelector('[data-marker]') !== null;
}

/** The Clipboard API needs a secure page; over plain http on a network the old way still works. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'off-screen';
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}
