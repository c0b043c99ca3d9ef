import { expect, test } from '@jest/globals';
import { decodeEntities } from './decode-entities.ts';

test.each([
  ['a &lt; b &amp;&amp; c &gt; d', 'a < b && c > d'],
  ['&quot;x&quot; &#39;y&#x27;', `"x" 'y'`],
  ['&amp;lt;', '&lt;'],
  ['&copy; &unknown; & &;', '&copy; &unknown; & &;'],
  // What would steer a terminal or the direction of writing is as gone as where it is sent as it is.
  ['a&#0;&#7;&#x1b;&#133;&#x202e;&#x200b;b', 'ab'],
  ['&#x110000; &#9999999;', '&#x110000; &#9999999;'],
  ['&#128512;', '😀'],
])('%s', (text, decoded) => {
  expect(decodeEntities(text)).toBe(decoded);
});
