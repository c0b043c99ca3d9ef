import { describe, expect, test } from '@jest/globals';
import { attachment, safeFileName } from './file-name.ts';

describe('safeFileName', () => {
  test.each([
    ['report.pdf', 'report.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\windows\\win.ini', 'win.ini'],
    ['C:\\a\\b.txt', 'b.txt'],
    ['dir/', 'file'],
    ['..', 'file'],
    ['...', 'file'],
    [' spaced name .txt ', 'spaced name .txt'],
    ['.env', '.env'],
    ['a\r\nSet-Cookie: x=1', 'aSet-Cookie: x=1'],
    ['a\u0000.txt', 'a.txt'],
    ['exe\u202efdp.pdf', 'exefdp.pdf'],
    ['pay\u200bpal\u061c.txt', 'paypal.txt'],
    ['می\u200cخواهم.txt', 'می\u200cخواهم.txt'],
    ['half \ud800 pair', 'half \ufffd pair'],
    ['', 'file'],
  ])('%j becomes %j', (given, name) => {
    expect(safeFileName(given)).toBe(name);
  });

  test.each(['a'.repeat(255), '🌴'.repeat(63), `${'.'.repeat(200)}a`])(
    'takes a name of at most 255 bytes whole',
    (name) => {
      expect(safeFileName(name)).toBe(name);
    },
  );

  test.each([
    ['a'.repeat(256), 256],
    ['🌴'.repeat(64), 256],
    [`/${'b'.repeat(255)}`, 256],
    ['.'.repeat(150_000), 150_000],
    [' .'.repeat(100_000), 200_000],
    ['\u2003'.repeat(100_000), 300_000],
    ['\u202e'.repeat(1_000_000), 3_000_000],
    ['a/'.repeat(500_000), 1_000_000],
  ])('%#: refuses a longer one, by its rule', (given, bytes) => {
    expect(() => safeFileName(given)).toThrow(
      `The name of a file must have at most 255 bytes of UTF-8; one of ${bytes} bytes was given.`,
    );
  });

  test('takes no longer for dots and blanks that a letter follows', () => {
    const name = `${'. '.repeat(127)}a`;
    expect(safeFileName(name)).toBe(name.trim());
  });
});

describe('attachment', () => {
  test.each([
    ['a.txt', `attachment; filename="a.txt"; filename*=UTF-8''a.txt`],
    ['a"b\\c%41.txt', `attachment; filename="a_b_c_41.txt"; filename*=UTF-8''a%22b%5Cc%2541.txt`],
    ["it's (1)*.txt", `attachment; filename="it's (1)*.txt"; filename*=UTF-8''it%27s%20%281%29%2a.txt`],
    ['ü', `attachment; filename="_"; filename*=UTF-8''%C3%BC`],
  ])('of %j is %s', (name, header) => {
    expect(attachment(name)).toBe(header);
  });
});
