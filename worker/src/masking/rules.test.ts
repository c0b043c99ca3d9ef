import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@lontar/shared/testing/seeded-random.ts';
import { createMasker } from './mask.ts';
import { ALL_RULES } from './rules/all-rules.ts';
import type { Rule } from './rules/rule.ts';
import { AI_TOKENS } from './rules/tokens-ai.ts';
import { CLOUD_TOKENS } from './rules/tokens-cloud.ts';
import { SERVICE_TOKENS } from './rules/tokens-services.ts';
import { SOURCE_CODE_TOKENS } from './rules/tokens-source-code.ts';
import { draw } from './testing/drawn.ts';

const { mask } = createMasker();
const random = seededRandom(20_260_101);
/** What is drawn is drawn anew so many times. */
const ROUNDS = 5;
/** Our own keys are described beside the page of rules. */
const SOURCE = /^(?:https:\/\/[a-z0-9.-]+\.[a-z]+\/|api\.md#)/;

/** The texts of one example, drawn parts made. */
function textsOf(example: Rule['masks'][number]): string[] {
  if (typeof example === 'string') return [example];
  return Array.from({ length: ROUNDS }, () => example((length, alphabet) => draw(random, length, alphabet)));
}

const named = (rules: readonly Rule[]) => rules.map((rule) => [rule.name, rule] as const);

describe.each(named(ALL_RULES))('%s', (_name, rule) => {
  const { type, masks, keeps, source } = rule;

  test('masks what it must mask, and names itself', () => {
    expect(masks.length).toBeGreaterThan(0);
    for (const text of masks.flatMap(textsOf)) {
      const found = mask(`${text}\n`).spans.filter((span) => span.type === type && span.rule === rule.name);
      expect(found).not.toEqual([]);
    }
  });

  test('keeps its look-alikes', () => {
    for (const text of keeps) expect(mask(text).text).toBe(text);
  });

  test('says where it comes from', () => {
    expect(source).toMatch(SOURCE);
  });
});

describe.each(named(ALL_RULES.filter(({ masks }) => masks.some((example) => typeof example !== 'string'))))(
  'a token of %s',
  (_name, { masks }) => {
    test('goes whole out of a sentence', () => {
      for (const token of masks.flatMap(textsOf)) {
        const { text } = mask(`it was ${token} there`);
        expect(text).toContain('***API_KEY***');
        expect(text).not.toContain(token);
        expect(text.startsWith('it was ') && text.endsWith(' there')).toBe(true);
      }
    });
  },
);

const PREFIXED = [...SOURCE_CODE_TOKENS, ...CLOUD_TOKENS, ...AI_TOKENS, ...SERVICE_TOKENS];

describe.each(named(PREFIXED))('a token with the prefix of %s', (_name, { anchors: [prefix = ''], masks, keeps }) => {
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
    for (const token of masks.flatMap(textsOf)) {
      for (const text of contexts(token)) {
        const { text: output } = mask(text);
        expect(output.includes('***API_KEY***')).toBe(true);
        expect(output.includes(token.slice(prefix.length, prefix.length + 8))).toBe(false);
        expect(output.includes(token.slice(-8))).toBe(false);
      }
    }
  });

  test('stays in a sentence about it', () => {
    for (const text of keeps) expect(mask(`see ${text} here`).text).toBe(`see ${text} here`);
  });
});

test('rule names are unique', () => {
  const names = ALL_RULES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('anchors are written as the scan compares them: in lower case, and not empty', () => {
  for (const { anchors, tableAnchors = [] } of ALL_RULES)
    for (const anchor of [...anchors, ...tableAnchors]) expect(anchor !== '' && !/[A-Z]/.test(anchor)).toBe(true);
});
