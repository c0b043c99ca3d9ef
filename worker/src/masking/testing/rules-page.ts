import { createMasker } from '../mask.ts';
import { CONNECTION_RULES } from '../rules/connection-rules.ts';
import { ADDRESS_RULES, ENDPOINT_RULES } from '../rules/endpoint-rules.ts';
import { KEY_RULES } from '../rules/key-rules.ts';
import type { StructuralRule } from '../rules/structural-rule.ts';
import { AI_TOKENS } from '../rules/tokens-ai.ts';
import { CLOUD_TOKENS } from '../rules/tokens-cloud.ts';
import { SERVICE_TOKENS } from '../rules/tokens-services.ts';
import { SOURCE_CODE_TOKENS } from '../rules/tokens-source-code.ts';
import { prefixOf, type TokenShape } from '../token-shape.ts';
import { INNER_SHAPES, type InnerShape } from '../unprefixed-tokens.ts';

const ALPHABET_WORDS: Readonly<Record<string, string>> = {
  an: 'letters and digits',
  let: 'letters',
  lo: 'lower-case letters and digits',
  up: 'capitals and digits',
  hex: 'hexadecimal digits',
  d: 'digits',
  url: 'characters of base64url',
  b64: 'characters of base64',
  dot: 'characters of base64url or dots',
  w: 'word characters',
};

const { mask } = createMasker();

/** The page that documents every rule, made from the rules themselves. No token stands on it: shapes are put in words. */
export function rulesPage(): string {
  return [
    '# Masking rules',
    '',
    'Made from the rules by `node e2e/bench/masking/write-rules-page.ts`; a test fails when it is stale. Why the rules are as they are: [masking.md](masking.md).',
    '',
    ...structuralSection('Endpoints', ENDPOINT_RULES),
    ...structuralSection('IP addresses', ADDRESS_RULES),
    ...structuralSection('Connection strings', CONNECTION_RULES),
    ...structuralSection('Keys by form and by name', KEY_RULES),
    ...shapeSection('Source code, builds and packages', SOURCE_CODE_TOKENS),
    ...shapeSection('Clouds, hosting and observability', CLOUD_TOKENS),
    ...shapeSection('Models and their tools', AI_TOKENS),
    ...shapeSection('Payments, messages and other services', SERVICE_TOKENS),
    ...innerSection(INNER_SHAPES),
  ].join('\n');
}

function structuralSection(title: string, rules: readonly StructuralRule[]): string[] {
  const rows = rules.map(({ name, type, source, masks, keeps }) => {
    const example = code(mask(masks[0] ?? '').text);
    return `| \`${name}\` | ${type} | ${example} | ${keeps.map(code).join(' ') || '–'} | [source](${source}) |`;
  });
  return [`## ${title}`, '', '| rule | type | masked | kept | from |', '|---|---|---|---|---|', ...rows, ''];
}

function shapeSection(title: string, shapes: readonly TokenShape[]): string[] {
  const rows = shapes.map((shape) => {
    const prefix = prefixOf(shape);
    return `| \`${shape.name}\` | key | ${inWords(shape.pattern)} | ${code(`${prefix}…`)} ${code(`${prefix}xxxx`)} | [source](${shape.source}) |`;
  });
  return [`## ${title}`, '', '| rule | type | masked | kept | from |', '|---|---|---|---|---|', ...rows, ''];
}

function innerSection(shapes: readonly InnerShape[]): string[] {
  const rows = shapes.map(({ name, shape, source }) => `| \`${name}\` | key | ${shape} | [source](${source}) |`);
  return [
    '## Tokens known by their middle or their place',
    '',
    '| rule | type | masked | from |',
    '|---|---|---|---|',
    ...rows,
    '',
  ];
}

/** `ghp_{an36}` as "`ghp_`, 36 letters and digits". */
function inWords(pattern: string): string {
  return pattern
    .split(/(\{[^}]*\})/)
    .filter((part) => part !== '')
    .map((part) => {
      const drawn = /^\{(an|let|lo|up|hex|d|url|b64|dot|w):?(\d+)\}$/.exec(part);
      return drawn === null ? code(part) : `${drawn[2]} ${ALPHABET_WORDS[drawn[1] ?? ''] ?? ''}`;
    })
    .join(', ');
}

/** One line of code inside a table cell. */
function code(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll('\n', '⏎').replaceAll('|', '\\|')}\``;
}
