import { ACCESS_RULES } from './access-sentences.ts';
import { ARGUMENT_LIST_RULES } from './argument-lists.ts';
import { ASSIGNMENT_RULES } from './assignments.ts';
import { BARE_HOST_RULES } from './bare-hosts.ts';
import { CALL_RULES } from './calls.ts';
import { CODE_COLUMN_RULES } from './code-columns.ts';
import { CODE_NUMBER_RULES } from './code-numbers.ts';
import { COMMAND_RULES } from './command-lines.ts';
import { OUTPUT_RULES } from './command-output.ts';
import { CONNECTION_BLOCK_RULES } from './connection-blocks.ts';
import { CONNECTION_LOGON_RULES } from './connection-logons.ts';
import { CONNECTION_PAIR_RULES } from './connection-pairs.ts';
import { CONNECTION_URI_RULES } from './connection-uris.ts';
import { DATABASE_HOST, DATABASE_HOST_IN_ERROR } from './database-hosts.ts';
import { DIRECTIVE_RULES } from './directives.ts';
import { FILLED_RULES } from './filled-fields.ts';
import { HEADER_RULES } from './headers.ts';
import { IP4_RULES } from './ip4-addresses.ts';
import { IP6_RULES } from './ip6-addresses.ts';
import { KEY_BLOCK_RULES } from './key-blocks.ts';
import { LOGIN_LINE_RULES } from './login-lines.ts';
import { LOGIN_PAIR_RULES } from './login-pairs.ts';
import { NAMED_BEHIND } from './named-afterwards.ts';
import { PIPED_RULES } from './piped-secrets.ts';
import { PROSE_RULES } from './prose.ts';
import type { Rule, RuleFamily } from './rule.ts';
import { SENTENCE_RULES } from './sentences.ts';
import { TABLE_RULES } from './tables.ts';
import { AI_TOKENS } from './tokens-ai.ts';
import { CLOUD_TOKENS } from './tokens-cloud.ts';
import { RECENT_TOKENS } from './tokens-recent.ts';
import { SERVICE_TOKENS } from './tokens-services.ts';
import { SOURCE_CODE_TOKENS } from './tokens-source-code.ts';
import { AWS_PAIR, UNPREFIXED_TOKENS } from './tokens-unprefixed.ts';
import { TYPED_RULES } from './typed-codes.ts';
import { URL_RULES } from './urls.ts';
import { USER_MAPS } from './user-maps.ts';

/**
 * The families of rules, as the page of rules shows them. Where anchors of several rules have the same text, the verifier
 * of the first is called first.
 */
export const RULE_FAMILIES: readonly RuleFamily[] = [
  { title: 'Endpoints', rules: [...URL_RULES, ...BARE_HOST_RULES] },
  { title: 'IP addresses', rules: [...IP4_RULES, ...IP6_RULES] },
  {
    title: 'Connection strings',
    rules: [
      ...CONNECTION_LOGON_RULES,
      ...CONNECTION_PAIR_RULES,
      ...CONNECTION_BLOCK_RULES,
      DATABASE_HOST,
      DATABASE_HOST_IN_ERROR,
    ],
  },
  { title: 'Connection URIs', rules: CONNECTION_URI_RULES },
  { title: 'Keys by form', rules: [...KEY_BLOCK_RULES, ...HEADER_RULES] },
  { title: 'Source code, builds and packages', rules: SOURCE_CODE_TOKENS },
  { title: 'Clouds, hosting and observability', rules: [AWS_PAIR, ...CLOUD_TOKENS] },
  { title: 'Models and their tools', rules: AI_TOKENS },
  { title: 'Payments, messages and other services', rules: SERVICE_TOKENS },
  { title: 'Issued since 2024', rules: RECENT_TOKENS },
  { title: 'Tokens known by their middle or their place', rules: UNPREFIXED_TOKENS },
  {
    title: 'Keys by what they are given to',
    rules: [
      ...COMMAND_RULES,
      ...PIPED_RULES,
      ...ARGUMENT_LIST_RULES,
      ...DIRECTIVE_RULES,
      ...LOGIN_LINE_RULES,
      ...CALL_RULES,
      ...FILLED_RULES,
      ...OUTPUT_RULES,
      ...TABLE_RULES,
      ...PROSE_RULES,
      ...SENTENCE_RULES,
      NAMED_BEHIND,
      ...ACCESS_RULES,
      ...TYPED_RULES,
      ...LOGIN_PAIR_RULES,
      USER_MAPS,
      ...CODE_COLUMN_RULES,
      ...CODE_NUMBER_RULES,
      ...ASSIGNMENT_RULES,
    ],
  },
];

export const ALL_RULES: readonly Rule[] = RULE_FAMILIES.flatMap(({ rules }) => rules);
