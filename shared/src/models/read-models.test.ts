import { describe, expect, test } from '@jest/globals';
import { readModels } from './read-models.ts';

const UPSTREAMS = `upstreams:
  gemini: { provider: gemini, api_key: \${GEMINI_API_KEY}, requests_per_minute: 1000, max_in_flight: 300 }
  backup: { provider: openai, base_url: https://llm.example/v1, api_key: "\${BACKUP_KEY}", context: 32768, stream: never }
  here:
    provider: openai
    base_url: http://127.0.0.1:11434/v1
`;
const MODELS = `models:
  ai-2.5-flash:
    aliases: [fast]
    routes:
      - { upstream: gemini, model: gemini-2.5-flash, weight: 3 }
      - { upstream: backup, model: qwen3-32b, order: 2 } # only when the first order cannot
    deadlines: { connect: 3s, first_token: 1.5m, total: 800ms }
    price: { input: 0.30, cached_input: 0.03, output: 2.50 }
  ai-2.5-pro: { routes: [{ upstream: here, model: "big:70b" }], hedge_after: p95 }
  Meta/Llama-3:70b@q4: { routes: [{ upstream: here, model: llama }] }
`;
const PRO = '  ai-2.5-pro: { routes: [{ upstream: a, model: m }] }\n';
const FLASH = '  ai-2.5-flash: { routes: [{ upstream: a, model: m }] }\n';
const A = 'upstreams:\n  a: { provider: demo }\n';

/** Problems as `line:column message`. */
function problemsOf(text: string): string[] {
  const reading = readModels(text);
  return reading.ok ? [] : reading.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

test('says all of upstreams and models, with what is left out', () => {
  const reading = readModels(UPSTREAMS + MODELS);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  expect(reading.file.upstreams).toEqual([
    {
      ...{ name: 'gemini', provider: 'gemini', stream: 'auto', requestsPerMinute: 1000, maxInFlight: 300 },
      ...{ baseUrl: 'https://generativelanguage.googleapis.com/v1beta', apiKey: { variable: 'GEMINI_API_KEY' } },
    },
    {
      ...{ name: 'backup', provider: 'openai', baseUrl: 'https://llm.example/v1', stream: 'never', context: 32768 },
      apiKey: { variable: 'BACKUP_KEY' },
    },
    { name: 'here', provider: 'openai', baseUrl: 'http://127.0.0.1:11434/v1', stream: 'auto' },
  ]);
  expect(reading.file.models).toMatchObject([
    {
      name: 'ai-2.5-flash',
      aliases: ['fast'],
      routes: [
        { upstream: 'gemini', model: 'gemini-2.5-flash', weight: 3, order: 1 },
        { upstream: 'backup', model: 'qwen3-32b', weight: 1, order: 2 },
      ],
      deadlines: { connectMs: 3_000, firstTokenMs: 90_000, idleMs: 60_000, totalMs: 800 },
      price: { input: 0.3, cachedInput: 0.03, output: 2.5 },
    },
    { name: 'ai-2.5-pro', aliases: [], routes: [{ model: 'big:70b' }], hedgeAfter: 'p95' },
    { name: 'Meta/Llama-3:70b@q4' },
  ]);
  expect(reading.file.secretPlaces).toEqual({ gemini: { line: 2, column: 31 }, backup: { line: 3, column: 65 } });
});

describe('all problems at once, with line and column', () => {
  test('of the schema, of keys that stand twice and of names, together', () => {
    const text = `upstreams:
  a: { provider: openai, max_in_flight: 0, max_inflight: 3 }
  B!: { provider: nope }
  d: { provider: demo, base_url: "ftp://x" }
  g: { provider: gemini, stream: 3, stream: auto }
models:
  ai-2.5-flash: { routes: [], deadlines: { connect: 5, idle: 90m } }
  m: [1]
  n: { aliases: [n, x, x], routes: [{ upstream: nowhere, model: m, weight: 0 }, 3] }
  o: {}
`;
    expect(problemsOf(text)).toEqual([
      '2:3 base_url is missing: provider openai needs one, such as http://127.0.0.1:11434/v1',
      '2:26 max_in_flight must be a whole number from 1 to 1000000',
      '2:44 this key is not known in the upstream: is it misspelt?',
      '3:3 a name must have 1 to 63 small letters, digits and . _ - and begin with a letter or digit',
      '4:24 base_url must be an http:// or https:// URL without user, password and #',
      '4:24 provider demo answers by itself: take base_url out',
      `5:3 api_key is missing: provider gemini needs one, such as \${GEMINI_API_KEY}`,
      '5:26 stream must be auto, always or never',
      '5:37 this key stands here twice: keep one of them',
      '6:1 models must have ai-2.5-pro: callers of /api/ai ask for it',
      '7:19 routes must have a route at least',
      '7:44 connect must be a time such as 500ms, 20s or 2m, at most 60m',
      '7:56 idle must be a time such as 500ms, 20s or 2m, at most 60m',
      '8:3 the model must be a map',
      '9:18 this alias is a name or an alias already: each leads to one model',
      '9:24 this alias is a name or an alias already: each leads to one model',
      '9:39 this route leads nowhere: there is no upstream of that name',
      '9:68 weight must be a number above 0 and at most 1000',
      '9:81 a route must be a map',
      '10:3 routes is missing',
    ]);
  });

  test.each<[string, string, RegExp]>([
    ['nothing', '', /^1:1 the file is empty/],
    ['a comment alone', '# later\n', /^1:1 the file is empty/],
    ['a list', '- a', /^1:1 the file must be a map$/],
    ['a number', '3', /^1:1 the file must be a map$/],
    ['an anchor', `${A}models: &m\n${FLASH}${PRO}`, /^4:3 anchors/m],
    ['an alias of YAML', `${A}models:\n${FLASH}${PRO}  x: *m\n`, /^6:6 anchors/m],
    ['a merge', `${A}models:\n${FLASH}${PRO}  <<: { routes: [] }\n`, /^6:3 a name must/],
    ['a tag', `${A}models: !!set\n${FLASH}${PRO}`, /^\d+:\d+ tags of YAML/],
    ['two documents', `${A}models:\n${FLASH}${PRO}---\n${A}`, /^6:1 the file must hold one document/],
    ['a model that stands twice', `${A}models:\n${FLASH}${PRO}${FLASH}`, /^6:3 this key stands here twice/],
    ['a tab', `${A}models:\n\tai: 3\n`, /^4:1 indent with spaces/],
    ['a quote left open', `${A}models:\n  "ai: 3\n`, /^\d+:\d+ something is missing here/],
    ['a key of no text', `${A}models:\n${FLASH}${PRO}  ? [a]\n  : 3\n`, /^6:5 a key must be a plain text/],
    ['__proto__', `${A}models:\n${FLASH}${PRO}  __proto__: { routes: [] }\n`, /^6:3 this cannot be a key/],
    ['no upstreams', `models:\n${FLASH}${PRO}`, /^1:1 upstreams is missing/],
    [
      'a price below nothing',
      `${A}models:\n${PRO}${FLASH.replace(' }\n', ', price: { input: -1, output: 1 } }\n')}`,
      /^5:\d+ input must be USD/,
    ],
    [
      'a time that ends never',
      `${A}models:\n${PRO}${FLASH.replace(' }\n', ', deadlines: { total: 9999999m } }\n')}`,
      /^5:\d+ total must be a time/,
    ],
    [
      '17 routes',
      `${A}models:\n${PRO}  ai-2.5-flash:\n    routes:\n${'      - { upstream: a, model: m }\n'.repeat(17)}`,
      /^6:5 routes may have at most 16 routes/,
    ],
  ])('%s', (_, text, expected) => {
    expect(problemsOf(text).join('\n')).toMatch(expected);
  });

  test('are a hundred at most, and the rest is counted', () => {
    const models = Array.from({ length: 300 }, (_, index) => `  m${index}: { routes: [{ upstream: b, model: m }] }\n`);
    const problems = problemsOf(`${A}models:\n${FLASH}${PRO}${models.join('')}`);
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toMatch(/… and 200 further problems$/);
  });
});

test.each([
  ['in place of a variable', (secret: string) => `  g: { provider: gemini, api_key: ${secret} }\n`],
  ['beside a variable', (secret: string) => `  g: { provider: gemini, api_key: "\${KEY} ${secret}" }\n`],
  ['as a key', (secret: string) => `  g: { provider: gemini, ${secret}: api_key }\n`],
  ['as a provider', (secret: string) => `  g: { provider: ${secret} }\n`],
  ['in the address', (secret: string) => `  g: { provider: openai, base_url: "https://u:${secret}@llm.example/v1" }\n`],
  ['as a name', (secret: string) => `  ${secret}: { provider: gemini }\n`],
  ['where YAML breaks', (secret: string) => `  g: { provider: gemini, api_key: ${secret} ]\n  ${secret}\n`],
  ['as a tag', (secret: string) => `  g: !${secret} 3\n`],
  ['as an anchor', (secret: string) => `  g: *${secret}\n`],
])('a secret %s is refused, and never repeated', (_, write) => {
  const secret = ['sk', 'Live0123456789'].join('-');
  const problems = problemsOf(`upstreams:\n  a: { provider: demo }\n${write(secret)}models:\n${FLASH}${PRO}`);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.join('\n')).not.toContain('Live0123456789');
});

test('ten thousand models are read, and one more is not', () => {
  const models = Array.from({ length: 9_998 }, (_, index) => `  m${index}: { routes: [{ upstream: a, model: m }] }\n`);
  const text = `${A}models:\n${FLASH}${PRO}${models.join('')}`;
  const reading = readModels(text);
  expect(reading.ok && reading.file.models).toHaveLength(10_000);
  expect(problemsOf(`${text}  one-more: { routes: [{ upstream: a, model: m }] }\n`)).toEqual([
    '3:1 models may have at most 10000 models',
  ]);
});
