import type { ChosenModels } from './choose-models.ts';
import type { FoundUpstream } from './find-upstreams.ts';

const HEAD = `# Which models callers can ask for, and who answers for each. Taken up while the service runs; see docs/models.md.
# Keys are named, never written here: \${NAME} is a variable of .env, or NAME_FILE names the file that holds it.
# npm run lontar -- models check   says what is wrong here, with line and column
# npm run lontar -- models test    makes one tiny call over each route
`;

/**
 * The text of a commented file of models that has these upstreams; the first one answers, the others stand by.
 *
 * @param schema where its schema is, as seen from the file: editors that know YAML complete and check it by that
 */
export function writeModels(
  upstreams: readonly { readonly upstream: FoundUpstream; readonly chosen: ChosenModels }[],
  schema: string,
): string {
  const text = upstreams.length === 0 ? DEMO : textFor(upstreams);
  return `# yaml-language-server: $schema=${encodeURI(schema)}\n${text}`;
}

function textFor(upstreams: Parameters<typeof writeModels>[0]): string {
  const names = Object.keys(upstreams[0]?.chosen ?? {}) as (keyof ChosenModels)[];
  return [
    HEAD,
    'upstreams:',
    ...upstreams.flatMap(({ upstream }) => upstreamLines(upstream)),
    '',
    'models:',
    ...names.map((name) => modelText(name, upstreams)),
    '',
  ].join('\n');
}

function modelText(name: keyof ChosenModels, upstreams: Parameters<typeof writeModels>[0]): string {
  const routes = upstreams.map(({ upstream, chosen }, index) => {
    const order = index === 0 ? '' : `, order: ${index + 1}`;
    return `      - { upstream: ${upstream.name}, model: ${JSON.stringify(chosen[name])}${order} }`;
  });
  return `  ${name}:
    # aliases: [fast]     # further names
    routes:
${routes.join('\n')}
    # deadlines: { connect: 10s, first_token: 60s, idle: 60s }`;
}

function upstreamLines({ name, provider, foundBy, baseUrl, variable, models }: FoundUpstream): string[] {
  return [
    `  # Found by ${foundBy}; it lists ${models.length === 1 ? '1 model' : `${models.length} models`}.`,
    `  ${name}:`,
    `    provider: ${provider}`,
    ...(baseUrl === undefined ? [] : [`    base_url: ${JSON.stringify(baseUrl)}`]),
    ...(variable === undefined ? [] : [`    api_key: \${${variable}}`]),
    '    # max_in_flight: 100        # calls at once, over all workers',
    '    # requests_per_minute: 1000',
  ];
}

const DEMO = `${HEAD}
upstreams:
  # Made-up text, until there is a real one:
  #   gemini: { provider: gemini, api_key: \${GEMINI_API_KEY} }
  #   claude: { provider: anthropic, api_key: \${ANTHROPIC_API_KEY} }
  #   ollama: { provider: openai, base_url: http://127.0.0.1:11434/v1 }
  demo: { provider: demo }

models:
  ai-2.5-flash:
    routes:
      - { upstream: demo, model: demo }
  ai-2.5-pro:
    routes:
      - { upstream: demo, model: demo }
`;
