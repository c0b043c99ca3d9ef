import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { cleanText } from '../clipboard/clean-text.ts';
import { bodyOf, type Settings } from './call.ts';
import { type Call, sampleOf } from './code-samples.ts';

const SETTINGS: Settings = {
  key: 'lt_live_never_shown',
  endpoint: '/v1/chat/completions',
  model: "ai's",
  system: 'Be brief.',
  temperature: 0.7,
  maxTokens: 200,
  tools: '[{"type":"function","function":{"name":"weather","strict":true,"parameters":null}}]',
};
const ORIGIN = 'http://127.0.0.1:1';
const TEXTS = [
  'plain',
  "it's",
  '"quoted" $HOME `id` $(id) \\ !! %s',
  '${process.exit(9)}',
  'line\nbreak\r\ttab',
  "'; exit 9; echo '",
  '"""\'\'\'\\',
  '日本語 🌿 ❤\uFE0F',
  'abc\u202Edcba\u202C zero\u200Bwidth\uFEFF tag\u{E0041} soft\u00ADhyphen \u2028 \u0007 \u001B[31mred',
  '*/ // # <!--',
];

function callOf(prompt: string, part: Partial<Settings> = {}): Call {
  const settings = { ...SETTINGS, ...part };
  const isChat = settings.endpoint === '/v1/chat/completions';
  return {
    origin: ORIGIN,
    endpoint: settings.endpoint,
    isChat,
    body: bodyOf(settings, [{ role: 'user', content: prompt }]),
  };
}

const CALLS = TEXTS.flatMap((text) => [callOf(text), callOf(text, { endpoint: '/api/ai2' })]);
const python = spawnSync('python3', ['--version']).status === 0;

test('a shell hands curl what was meant', () => {
  for (const call of CALLS) {
    const line = sampleOf('curl', call).replace(/^curl (-N )?/, String.raw`printf '%s\0' `);
    const words = execFileSync('sh', ['-c', line], { encoding: 'utf8', env: { LONTAR_KEY: 'k' } }).split('\0');
    expect(words.slice(0, 6)).toEqual([
      `${ORIGIN}${call.endpoint}`,
      '-H',
      'Authorization: Bearer k',
      '-H',
      'Content-Type: application/json',
      '-d',
    ]);
    expect(JSON.parse(words[6] ?? '')).toEqual(call.body);
  }
});

/** What Python's client would be asked, in place of asking. */
const PYTHON = `
import io, json, os, sys, types, urllib.request
os.environ["LONTAR_KEY"] = "k"
asked = []
class Client:
    def __init__(self, base_url, api_key):
        self.chat = types.SimpleNamespace(completions=types.SimpleNamespace(create=lambda **given: asked.append([base_url, api_key, given]) or []))
sys.modules["openai"] = types.SimpleNamespace(OpenAI=Client, APIStatusError=Exception)
def urlopen(request):
    asked.append([request.full_url, request.headers["Authorization"], json.loads(request.data)])
    return io.StringIO('{"result": "x"}')
urllib.request.urlopen = urlopen
for sample in json.load(sys.stdin):
    exec(sample, {"print": lambda *_, **__: None})
print(json.dumps(asked))
`;

(python ? test : test.skip)('Python asks what was meant', () => {
  const input = JSON.stringify(CALLS.map((call) => sampleOf('python', call)));
  const asked = JSON.parse(execFileSync('python3', ['-c', PYTHON], { encoding: 'utf8', input })) as unknown;
  expect(asked).toEqual(
    CALLS.map(({ isChat, endpoint, body }) =>
      isChat ? [`${ORIGIN}/v1`, 'k', body] : [`${ORIGIN}${endpoint}`, 'Bearer k', body],
    ),
  );
});

test('JavaScript asks what was meant', async () => {
  for (const call of CALLS) {
    const asked: unknown[] = [];
    const sample = sampleOf('javascript', call).replace("import OpenAI from 'openai';", '');
    const process = { env: { LONTAR_KEY: 'k' }, stdout: { write: () => true } };
    class OpenAI {
      chat;
      constructor({ baseURL, apiKey }: Record<string, string>) {
        const create = (body: unknown) => (asked.push([baseURL, apiKey, body]), []);
        this.chat = { completions: { create } };
      }
    }
    const fetch = (url: string, { headers, body }: { headers: Record<string, string>; body: string }) => {
      asked.push([url, headers['Authorization'], JSON.parse(body)]);
      return { json: () => ({ result: 'x' }) };
    };
    const AsyncFunction = (async () => undefined).constructor as new (
      ...words: string[]
    ) => (...given: unknown[]) => Promise<void>;
    await new AsyncFunction('OpenAI', 'fetch', 'process', 'console', sample)(OpenAI, fetch, process, {
      log: () => undefined,
    });
    const { isChat, endpoint, body } = call;
    expect(asked).toEqual([isChat ? [`${ORIGIN}/v1`, 'k', body] : [`${ORIGIN}${endpoint}`, 'Bearer k', body]]);
  }
});

test('no sample has the key, or anything that a copy would leave out', () => {
  for (const call of CALLS) {
    for (const language of ['curl', 'python', 'javascript'] as const) {
      const sample = sampleOf(language, call);
      expect(sample).not.toContain(SETTINGS.key);
      expect(cleanText(sample)).toBe(sample);
    }
  }
});
