import { expect, test } from '@jest/globals';
import { renderMarkdown } from './markdown.ts';

const render = (text: string) =>
  renderMarkdown(text, (link) => (link.startsWith('..') ? undefined : `/at/${link}`))
    .map((block) => block.text)
    .join('');

test.each([
  ['a heading and a paragraph over two lines', '# One\n\nfirst\nsecond', '<h1>One</h1><p>first second</p>'],
  ['an item that goes on', '- one\n  more\n- two', '<ul><li>one more</li><li>two</li></ul>'],
  ['numbers', '1. one\n2. two', '<ol><li>one</li><li>two</li></ol>'],
  ['a list right behind its paragraph', 'Do:\n- this', '<p>Do:</p><ul><li>this</li></ul>'],
  [
    'a block of code as it stands',
    '```sh\na | b\n\n# c\n```\nnext',
    '<pre tabindex="0"><code>a | b\n\n# c</code></pre><p>next</p>',
  ],
  ['code in a line, with marks in it', 'see `a *b* [c](d)`', '<p>see <code>a *b* [c](d)</code></p>'],
  [
    'links, strong and emphasised',
    '[x `y`](z) **a** *b*',
    '<p><a href="/at/z">x <code>y</code></a> <strong>a</strong> <em>b</em></p>',
  ],
  ['a link that cannot be followed', '[there](../../there.md)', '<p>there (<code>there.md</code>)</p>'],
  ['what would be HTML', '<b>&', '<p>&#60;b&#62;&#38;</p>'],
  ['marks that are never closed', 'a * b ` c [d', '<p>a * b &#96; c [d</p>'.replace('&#96;', '`')],
])('%s', (_, text, expected) => {
  expect(render(text)).toBe(expected);
});

test('a table has heads and cells', () => {
  const text = render('| a | b |\n|---|---|\n| 1 | `2` |');
  expect(text.replaceAll(/\n/g, '')).toBe(
    '<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>' +
      '<tbody><tr><td>1</td><td><code>2</code></td></tr></tbody></table></div>',
  );
});
