import { describe, expect, test } from '@jest/globals';
import { createMasker } from './mask.ts';
import { CONNECTION_RULES } from './rules/connection-rules.ts';
import { ADDRESS_RULES, ENDPOINT_RULES } from './rules/endpoint-rules.ts';
import { KEY_RULES } from './rules/key-rules.ts';
import { TOKEN_SHAPES } from './rules/token-rules.ts';
import { draw, seeded } from './testing/drawn.ts';
import { prefixOf, sampleToken } from './token-shape.ts';
import { INNER_SHAPES } from './unprefixed-tokens.ts';

const { mask } = createMasker();
const STRUCTURAL_RULES = [...ENDPOINT_RULES, ...ADDRESS_RULES, ...CONNECTION_RULES, ...KEY_RULES];
const random = seeded(20_260_101);

describe.each(TOKEN_SHAPES)('$name', (shape) => {
  const prefix = prefixOf(shape);
  const contexts = (token: string) => [
    token,
    `use \`${token}\`.`,
    `(${token}),`,
    `**${token}**`,
    `"k":"${token}"`,
    `a=${token}&b=1`,
    `x\\n${token}\\n`,
    `https://x.example/${token}/y`,
  ];

  test('is masked whole wherever it stands', () => {
    for (let round = 0; round < 5; round++) {
      const token = sampleToken(shape, random);
      for (const text of contexts(token)) {
        const { text: output } = mask(text);
        expect(output.includes('***API_KEY***')).toBe(true);
        expect(output.includes(token.slice(prefix.length, prefix.length + 8))).toBe(false);
        expect(output.includes(token.slice(-8))).toBe(false);
      }
    }
  });

  test('its prefix, a filled-in example and the middle of a word stay', () => {
    const body = sampleToken(shape, random).slice(prefix.length);
    for (const text of [
      prefix,
      `${prefix}...`,
      `${prefix}${'x'.repeat(body.length)}`,
      `${prefix}<your token>`,
      `${prefix}YOUR_KEY_HERE`,
    ]) {
      expect(mask(`see ${text} here`).text).toBe(`see ${text} here`);
    }
  });

  test('names the page it comes from', () => {
    // Our own keys are described beside the page of rules.
    expect(shape.source).toMatch(/^(?:https:\/\/[a-z0-9.-]+\.[a-z]+\/|api\.md#)/);
  });
});

test.each(INNER_SHAPES)('$name is masked', ({ sample, name }) => {
  for (let round = 0; round < 5; round++) {
    const token = sample((length, alphabet) => draw(random, length, alphabet));
    const { text, spans } = mask(`it was ${token} there`);
    expect(spans.map(({ rule }) => rule)).toContain(name);
    expect(text.includes(token)).toBe(false);
  }
});

describe.each(STRUCTURAL_RULES)('$name', ({ name, type, masks, keeps }) => {
  test.each(masks)('masks %s', (text) => {
    const { spans } = mask(text);
    expect(spans).toContainEqual(expect.objectContaining({ rule: name, type }));
  });

  if (keeps.length > 0) {
    test.each(keeps)('keeps %s', (text) => {
      expect(mask(text).text).toBe(text);
    });
  }
});

test('rule names are unique', () => {
  const names = [...TOKEN_SHAPES, ...INNER_SHAPES, ...STRUCTURAL_RULES].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
