import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runInProcess } from '../../testing/run-in-process.ts';

const secret = ['Kopi', 'Susu', '2024'].join('');
const text = `hello\nping 10.1.2.3\nDB_PASSWORD=${secret} and https://api.example.com/v1 🌐\n`;
const masked = 'hello\nping ***IP_ADDRESS***\nDB_PASSWORD=***API_KEY*** and https://***API_SERVER***/v1 🌐\n';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lontar-mask-'));
});
afterAll(() => rm(folder, { recursive: true }));

function mask(input: string, args: readonly string[] = [], settings: Record<string, string> = {}, piece = 7) {
  const bytes = Buffer.from(input);
  const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, index) =>
    bytes.subarray(index * piece, (index + 1) * piece),
  );
  return runInProcess(folder, settings, ['mask', ...args], pieces);
}

describe('lontar mask', () => {
  test('prints what standard input holds, masked, however it arrives', async () => {
    for (const piece of [1, 7, 100_000])
      expect(await mask(text, [], {}, piece)).toEqual({ code: 0, out: masked, err: '' });
    expect(await mask('')).toEqual({ code: 0, out: '', err: '' });
  });

  test('goes by the hosts of the settings', async () => {
    const settings = { MASK_ALLOW_HOSTS: 'api.example.com', MASK_HOSTS: 'gudang.example' };
    const { out } = await mask('https://api.example.com/v1 at gudang.example\n', [], settings);
    expect(out).toBe('https://api.example.com/v1 at ***API_SERVER***\n');
  });

  test('goes by the file of own rules, and says what is wrong with one', async () => {
    const path = join(folder, 'mask-rules.json');
    const shape = { name: 'kopi-key', prefix: 'kopi_live_', parts: [{ characters: 'lower-digits', length: 12 }] };
    await writeFile(path, JSON.stringify({ shapes: [shape], keep: ['10.1.2.3'] }));
    const { out } = await mask(`kopi_live_${'a1b2c3'.repeat(2)} at 10.1.2.3\n`, [], { MASK_RULES_FILE: path });
    expect(out).toBe('***API_KEY*** at 10.1.2.3\n');
    await writeFile(path, JSON.stringify({ shapes: [{ ...shape, prefix: '' }] }));
    const refused = await mask(text, [], { MASK_RULES_FILE: path });
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain('MASK_RULES_FILE: shapes.0.prefix');
  });

  test('explains each place by its rule and the source of the rule, and never shows a value', async () => {
    const { code, out, err } = await mask(text, ['--explain']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((row) => row.split(/ {2,}/)),
    ).toEqual([
      ['PLACE', 'TYPE', 'RULE', 'SOURCE'],
      ['2:6', 'ip', 'ipv4', expect.stringContaining('rfc6943')],
      ['3:13', 'key', 'password-assignment', expect.stringContaining('owasp.org')],
      ['3:39', 'url', 'url-api-host', expect.stringContaining('rfc3986')],
    ]);
    for (const value of [secret, '10.1.2.3', 'api.example.com']) expect(out).not.toContain(value);
  });

  test('says so when nothing is masked', async () => {
    expect(await mask('good morning\n', ['--explain'])).toEqual({ code: 0, out: '', err: 'Nothing is masked.\n' });
  });

  test('gives the same to programs', async () => {
    const whole = JSON.parse((await mask(text, ['--json'])).out);
    expect(whole.text).toBe(masked);
    const { out } = await mask(text, ['--explain', '--json']);
    expect(JSON.parse(out)).toEqual({ masked: whole.masked });
    expect(whole.masked[0]).toEqual({ line: 2, column: 6, type: 'ip', rule: 'ipv4', source: expect.any(String) });
    expect(out).not.toContain(secret);
  });

  test('refuses what takes too much work without a word of it', async () => {
    // No two values the same three hundred characters, so that each is judged anew.
    let seed = 1;
    const letter = () => 'abc'.charAt((seed = (seed * 48_271) % 2_147_483_647) % 3);
    const slow = Array.from({ length: 6_000 }, () => `secret=${letter()}${letter()}${letter()}/`).join('');
    const { code, err } = await mask(slow, ['--explain'], {}, 1_000_000);
    expect(code).toBe(1);
    expect(err).toMatch(/^Refused: /);
    expect(err).not.toContain('secret=');
  });
});
