import { expect, test } from '@jest/globals';
import { renderMarkdown } from './markdown.ts';

const render = (text: string) =>
  renderMarkdown(text, (link) => (link.startsWith('..') ? undefined : `/at/${link}`)).text.replaceAll(/>\n+/g, '>');

test.each([
  [
    'what can be scrolled is reached by the keyboard',
    '```sh\na <b\n```',
    '<pre tabindex="0"><code>a &#60;b</code></pre>',
  ],
  ['a link leads where it is said', '[x `y`](z)', '<p><a href="/at/z">x <code>y</code></a></p>'],
  ['a link that cannot be followed', '[there](../../there.md)', '<p>there (<code>there.md</code>)</p>'],
  ['HTML in a line is text', 'a <b>c</b> &amp;', '<p>a &#60;b&#62;c&#60;/b&#62; &amp;</p>'],
  ['HTML by itself is text', '<script>x</script>', '&#60;script&#62;x&#60;/script&#62;'],
  [
    'a table has heads and cells',
    '| a | b |\n|---|---|\n| 1 | `2` |',
    '<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>' +
      '<tbody><tr><td>1</td><td><code>2</code></td></tr></tbody></table></div>',
  ],
])('%s', (_, text, expected) => {
  expect(render(text)).toBe(expected);
});
