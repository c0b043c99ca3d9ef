import { PUBLIC_MODELS } from '@lontar/shared/endpoints.ts';
import type { ModelCatalog, ModelConfig } from '@lontar/shared/models/catalog.ts';
import { providerOf } from '@lontar/shared/models/catalog-of-variables.ts';
import { MODEL_HINTS } from '@lontar/shared/models/model-hints.ts';
import { SIGN_IN_SECONDS } from '../sessions/sign-in-link.ts';
import type { EverySetting } from '../settings/check-settings.ts';
import type { SelfTest } from './self-test.ts';

const EXAMPLE_PROMPT = 'How do I connect to my database from a chat bot? Show me the code.';

export interface ReadyFacts {
  readonly baseUrls: readonly string[];
  readonly signInLink: string;
  /** The first key; only when it was just made. */
  readonly firstKey?: string | undefined;
  readonly selfTest: SelfTest;
  readonly settings: EverySetting;
  readonly catalog: ModelCatalog;
  readonly logs: string;
  /** The variable that names a proxy for the way out; absent where there is none. */
  readonly proxy?: string | undefined;
}

/** What the operator reads when everything runs. */
export function readyMessage(facts: ReadyFacts): string {
  const [baseUrl = ''] = facts.baseUrls;
  return [
    '',
    'Lontar is ready.',
    '',
    `Dashboard (this link signs you in once, within ${SIGN_IN_SECONDS / 60} minutes; a new one: lontar dashboard)`,
    `  ${facts.signInLink}`,
    '',
    ...keyLines(facts.firstKey),
    '',
    'Try it',
    `  ${curlLine(baseUrl, facts.firstKey ?? 'YOUR_KEY')}`,
    '',
    ...modelLines(facts),
    ...selfTestLines(facts),
    ...(facts.baseUrls.length > 1 ? ['', 'Gateways', ...facts.baseUrls.map((url) => `  ${url}`)] : []),
    '',
    `Logs are in ${facts.logs}. Ctrl-C stops everything.`,
    '',
  ].join('\n');
}

/** A line that can be pasted into a shell. */
export function curlLine(baseUrl: string, key: string): string {
  return `curl -G ${baseUrl}/api/ai -H 'X-API-Key: ${key}' --data-urlencode 'prompt=${EXAMPLE_PROMPT}'`;
}

function keyLines(firstKey: string | undefined): string[] {
  if (firstKey === undefined) {
    return ['API keys', '  list: lontar keys list    new: lontar keys create --name NAME'];
  }
  return ['Your first API key (shown only now; more: lontar keys create --name NAME)', `  ${firstKey}`];
}

function modelLines({ settings, catalog }: ReadyFacts): string[] {
  if (catalog.source === 'file') {
    const { models, upstreams } = catalog;
    return [
      ...[...models.values()]
        .slice(0, MOST_NAMED)
        .map(({ name, routes }) => `Model: ${name} is ${answeredBy(routes)}.`),
      `Models: ${counted(models.size, 'model')} over ${counted(upstreams.size, 'upstream')} (${settings.MODELS_FILE}; lontar models list).`,
    ];
  }
  const provider = providerOf(settings);
  if (provider === 'demo') {
    return [
      'Model: the built-in DEMO model answers. It is no AI: its text is made up, with made-up secrets to show masking.',
      '  For a real one, put these lines into the file .env here, then stop and start again.',
      ...MODEL_HINTS.map(({ upstream, lines }) => `  ${upstream}:\n    ${lines.join('\n    ')}`),
    ];
  }
  const upstream = provider === 'gemini' ? settings.GEMINI_BASE_URL : settings.OPENAI_BASE_URL;
  const host = upstream === undefined ? '' : ` at ${new URL(upstream).host}`;
  return [
    `Model: ${provider}${host} answers as ${PUBLIC_MODELS.join(' and ')} (settings: .env, docs/configuration.md).`,
  ];
}

/** So many models are said one by one. */
const MOST_NAMED = 4;

function answeredBy(routes: ModelConfig['routes']): string {
  return routes.map(({ upstream, model }) => `${model} of ${upstream}`).join(', ');
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function selfTestLines({ selfTest: test, proxy }: ReadyFacts): string[] {
  if (test.outcome === 'skipped') return [];
  if (test.outcome === 'answered') {
    return [`Test request: answered in ${test.tookMs} ms, ${counted(test.masked, 'sensitive value')} masked.`];
  }
  return [
    `Test request: FAILED. ${test.problem}`,
    ...(test.cause === undefined ? [] : [`  Why: ${test.cause}`]),
    ...(proxy === undefined
      ? []
      : [`  ${proxy} is set, but calls to models do not use it (docs/operating.md, "Behind a proxy").`]),
    '  The service runs, but callers get the same error until this is fixed. lontar doctor checks it.',
  ];
}
