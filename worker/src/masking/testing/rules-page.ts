import { createMasker } from '../mask.ts';
import { RULE_FAMILIES } from '../rules/all-rules.ts';
import type { Rule, RuleFamily } from '../rules/rule.ts';

/** So many look-alikes of a rule stand on the page; all are tested. */
const MOST_KEPT = 6;
/** A token's look-alikes differ in their prefix only. */
const MOST_KEPT_OF_TOKENS = 2;

const { mask } = createMasker();

/** The page that documents every rule, made from the rules themselves. No token stands on it: shapes are put in words. */
export function rulesPage(): string {
  return [
    '# Masking rules',
    '',
    'Made from the rules by `npm run docs`; a test fails when it is stale. Why the rules are as they are: [masking.md](masking.md).',
    '',
    ...RULE_FAMILIES.flatMap(sectionOf),
  ].join('\n');
}

function sectionOf({ title, rules }: RuleFamily): string[] {
  return [
    `## ${title}`,
    '',
    '| rule | type | masked | kept | from |',
    '|---|---|---|---|---|',
    ...rules.map(rowOf),
    '',
  ];
}

function rowOf({ name, type, source, masks: [example], keeps, inWords }: Rule): string {
  const masked = inWords ?? code(typeof example === 'string' ? mask(example).text : '');
  const kept = keeps.slice(0, inWords === undefined ? MOST_KEPT : MOST_KEPT_OF_TOKENS).map(code);
  return `| \`${name}\` | ${type} | ${masked} | ${kept.join(' ') || '–'} | [source](${source}) |`;
}

/** One line of code inside a table cell. */
function code(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll('\n', '⏎').replaceAll('|', '\\|')}\``;
}
