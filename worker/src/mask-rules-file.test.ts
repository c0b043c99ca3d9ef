import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigError } from '@lontar/shared/config/read-config.ts';
import { parseMaskRules, readMaskRules } from './mask-rules-file.ts';
import { createMasker } from './masking/mask.ts';

const folder = mkdtempSync(join(tmpdir(), 'lontar-mask-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));

const drawn = ['q7Xv', 'T2mN', '9bKc', 'R4pZ', 'w8Yd', 'Lq3e'].join('');
const shape = { name: 'kopi-key', prefix: 'kopi_live_', parts: [{ characters: 'letters-digits', length: 24 }] };
const file = JSON.stringify({
  shapes: [
    shape,
    {
      name: 'susu-key',
      prefix: 'su:',
      parts: [{ characters: 'hex', length: 8 }, { text: '-' }, { characters: 'hex', length: 8 }],
    },
  ],
  maskHosts: ['gudang.example'],
  allowHosts: ['api.github.com'],
  keep: ['10.1.2.3', 'Kopi-Susu-2024'],
});

function maskerOf(text: string) {
  const { shapes, maskHosts, allowHosts, keep } = parseMaskRules(text);
  return createMasker({ shapes, maskHosts, allowHosts, keep });
}

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('the file of own masking rules', () => {
  const masker = maskerOf(file);

  test('adds shapes, which are named and end where their tokens do', () => {
    const { text, spans } = masker.mask(`a kopi_live_${drawn}, b su:0a1b2c3d-4e5f6a7b c kopi_live_xxxx su:port`);
    expect(text).toBe('a ***API_KEY***, b ***API_KEY*** c kopi_live_xxxx su:port');
    expect(spans.map(({ rule, source }) => [rule, source])).toEqual([
      ['kopi-key', 'the file MASK_RULES_FILE'],
      ['susu-key', 'the file MASK_RULES_FILE'],
    ]);
  });

  test("adds hosts, and exempts hosts and values, under a request's own policy too", () => {
    const text =
      'gudang.example https://api.github.com/v3 10.1.2.3 10.1.2.4 password=Kopi-Susu-2024 password=Kopi-Susu-2025';
    const masked =
      '***API_SERVER*** https://api.github.com/v3 10.1.2.3 ***IP_ADDRESS*** password=Kopi-Susu-2024 password=***API_KEY***';
    expect(masker.mask(text).text).toBe(masked);
    expect(masker.withPolicy({ keep: new Set(['10.1.2.4']) }).mask(text).text).toBe(
      masked.replace('***IP_ADDRESS***', '10.1.2.4'),
    );
  });

  test('is read from its path, and is not needed', () => {
    const path = join(folder, 'rules.json');
    writeFileSync(path, file);
    expect(readMaskRules(path)).toEqual(parseMaskRules(file));
    expect(readMaskRules(undefined)).toEqual({ shapes: [], maskHosts: [], allowHosts: [], keep: [] });
    expect(problemsOf(() => readMaskRules(join(folder, 'none.json')))[0]).toContain('cannot be read');
    writeFileSync(path, ' '.repeat(300_000));
    expect(problemsOf(() => readMaskRules(path))[0]).toContain('more than 262144 bytes');
  });

  test.each([
    ['{', 'not valid JSON'],
    ['{"regex": []}', 'the file'],
    [JSON.stringify({ shapes: [{ ...shape, pattern: 'a+' }] }), 'shapes.0'],
    [JSON.stringify({ shapes: [{ ...shape, name: 'jwt' }] }), 'shapes.0.name: is the name of a rule that is built in'],
    [JSON.stringify({ shapes: [shape, shape] }), 'shapes: must have names of their own'],
    [JSON.stringify({ shapes: [{ ...shape, prefix: 'k{an9}' }] }), 'shapes.0.prefix'],
    [
      JSON.stringify({ shapes: [{ ...shape, parts: [{ text: '-' }] }] }),
      'shapes.0.parts: must begin with drawn characters',
    ],
    [JSON.stringify({ shapes: [{ ...shape, parts: [{ characters: 'hex', length: 1_000 }] }] }), 'shapes.0.parts.0'],
    [
      JSON.stringify({ shapes: [{ ...shape, parts: [{ characters: 'alnum', length: 10 }] }] }),
      'digits, base64url, base64, word and 1 to 512, or {"text": …}',
    ],
    [
      JSON.stringify({ shapes: Array.from({ length: 201 }, (_, index) => ({ ...shape, name: `kopi-${index}` })) }),
      'shapes:',
    ],
    [JSON.stringify({ maskHosts: ['a b'] }), 'maskHosts.0: must be a host'],
    [JSON.stringify({ keep: ['abc'] }), 'keep.0'],
  ])('says what is wrong with %.60s', (text, problem) => {
    expect(problemsOf(() => parseMaskRules(text)).join('\n')).toContain(problem);
  });
});
