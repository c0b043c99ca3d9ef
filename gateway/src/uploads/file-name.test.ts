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

  test.each([
    [`${'a'.repeat(400)}.tar.gz`, `${'a'.repeat(252)}.gz`],
    ['🌴'.repeat(100), '🌴'.repeat(63)],
    [`a.${'b'.repeat(300)}`, `a.${'b'.repeat(253)}`],
  ])('cuts to 255 bytes at a character, and keeps a short extension', (given, name) => {
    expect(safeFileName(given)).toBe(name);
    expect(Buffer.byteLength(safeFileName(given))).toBeLessThanOrEqual(255);
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
