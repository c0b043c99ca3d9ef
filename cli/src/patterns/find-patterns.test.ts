import { describe, expect, test } from '@jest/globals';
import { findPatterns } from './find-patterns.ts';

const found = (source: string) =>
  findPatterns('a.tsx', source).map(
    ({ line, pattern, flags, built }) => `${line} ${built ? 'built ' : ''}/${pattern}/${flags}`,
  );

describe('regular expressions are found', () => {
  test.each([
    ['literals, with flags', 'const A = /a+/g;\nf(/b\\/[/]/);', ['1 /a+/g', '2 /b\\/[/]/']],
    [
      'literals inside JSX, templates and default values',
      'const x = <p t={/a/}>{`${/b/}`}</p>; (y = /c/) => y;',
      ['1 /a/', '1 /b/', '1 /c/'],
    ],
    ['schemas', "z.string().regex(/^[a-z]+$/, 'no')", ['1 /^[a-z]+$/']],
    ['made of a text', "new RegExp('a+', 'i'); RegExp(`b`); globalThis.RegExp('c')", ['1 /a+/i', '1 /b/', '1 /c/']],
    ['made of a literal', 'new RegExp(/a+/)', ['1 /a+/']],
    ['a literal that gets other flags', "new RegExp(/a+/, 'g')", ["1 built /new RegExp(/a+/, 'g')/", '1 /a+/']],
    ['built while running', 'new RegExp(`^${\n  a}$`)', ['1 built /new RegExp(`^${ a}$`)/']],
    [
      'texts where methods want a pattern',
      "a.match('x+'); a.search(`y+`); a.matchAll(`${z}`)",
      ['1 /x+/', '1 /y+/', '1 built /a.matchAll(`${z}`)/'],
    ],
  ])('%s', (_name, source, expected) => {
    expect(found(source)).toEqual(expected);
  });

  test('division, comments and strings are none', () => {
    expect(found('const a = b / c / d; // /a+/\nconst s = "/a+/"; /* /b/ */')).toEqual([]);
  });

  test('a source that cannot be parsed is an error, not a file without findings', () => {
    expect(() => findPatterns('a.ts', 'const = /a+$/;')).toThrow('a.ts cannot be parsed');
  });
});
