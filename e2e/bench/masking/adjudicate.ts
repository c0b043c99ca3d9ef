/**
 * Lists every line of the installed packages' documentation that masking changes, with the rules that did it. Before a
 * rule is changed and after, so that the difference can be read: each line of it is right or a bug.
 *   node e2e/bench/masking/adjudicate.ts > before.txt
 * A bug becomes a line of worker/src/masking/testing/documents/kept-lines.md.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMasker } from '../../../worker/src/masking/mask.ts';

const LONGEST_SHOWN = 300;
const root = new URL('../../../node_modules', import.meta.url).pathname;
const { mask } = createMasker();

function markdownFiles(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return markdownFiles(path);
      return entry.isFile() && entry.name.endsWith('.md') ? [path] : [];
    })
    .sort();
}

let characters = 0;
for (const file of markdownFiles(root)) {
  const text = readFileSync(file, 'utf8');
  characters += text.length;
  const { text: masked, spans } = mask(text);
  const after = masked.split('\n');
  let lineStart = 0;
  for (const [index, before] of text.split('\n').entries()) {
    const line = after[index] ?? '';
    const rules = spans.filter(({ start }) => start >= lineStart && start < lineStart + line.length);
    lineStart += line.length + 1;
    if (before !== line)
      console.log(
        `${file.slice(root.length + 1)}: ${rules.map(({ rule }) => rule).join(' ')}\n- ${before.slice(0, LONGEST_SHOWN)}\n+ ${line.slice(0, LONGEST_SHOWN)}\n`,
      );
  }
}
console.log(`${(characters / 1e6).toFixed(2)} MB`);
