import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { homeAt } from '../home/home.ts';
import { readCatalog } from '../models/read-catalog.ts';
import { checkSettings } from '../settings/check-settings.ts';
import { firstModels } from './first-models.ts';

const KEY = ['sk', 'first', '0123456789'].join('-');

let folder: string;
let server: Server;
let url: string;
let asked: { path: string; key: string | undefined }[];
let models: string[];
let said: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lontar-first-'));
  asked = [];
  said = [];
  models = ['text-embedding-3', 'qwen3:32b', 'llama3.2:1b'];
  server = createServer((request, response) => {
    const { authorization, 'x-api-key': key } = request.headers;
    asked.push({ path: request.url ?? '', key: authorization ?? (key as string | undefined) });
    response.end(JSON.stringify({ data: models.map((id) => ({ id })) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const path = () => join(folder, 'models.yaml');

function start(
  environment: Record<string, string>,
  more: { isFirst?: boolean; ask?: (question: string) => Promise<string> } = {},
) {
  const surroundings = {
    root: folder,
    folder,
    environment,
    fromFile: new Set<string>(),
    home: homeAt('.lontar', folder),
  };
  return firstModels(surroundings, { isFirst: true, say: (text) => said.push(text), ...more });
}

test('without a terminal the fitting models of what a variable names are taken, and that is said', async () => {
  const { environment } = await start({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: KEY });
  expect(environment).toMatchObject({ MODELS_FILE: path() });
  expect(asked).toEqual([{ path: '/v1/models', key: `Bearer ${KEY}` }]);
  expect(said.join()).toMatch(
    /^Found OPENAI_BASE_URL \(2 models\): ai-2.5-flash is llama3.2:1b, ai-2.5-pro is qwen3:32b\. Written to /,
  );
  expect(readFileSync(path(), 'utf8') + said.join()).not.toContain(KEY);
  const catalog = await readCatalog({ environment }, 'with secrets');
  expect(catalog.models.get('ai-2.5-pro')?.routes).toMatchObject([{ upstream: 'openai', model: 'qwen3:32b' }]);
});

test('at a terminal the operator takes what fits, or types another name', async () => {
  const questions: string[] = [];
  const answers = ['', 'my/own:7b'];
  const ask = (question: string) => {
    questions.push(question);
    return Promise.resolve(answers.shift() ?? '');
  };
  const { environment } = await start({ OLLAMA_HOST: url.replace('http://', '') }, { ask });
  expect(questions).toEqual([
    'Which model answers as ai-2.5-flash? [llama3.2:1b] ',
    'Which model answers as ai-2.5-pro? [qwen3:32b] ',
  ]);
  const catalog = await readCatalog({ environment }, 'with secrets');
  expect([...catalog.models.values()].map(({ routes }) => routes[0]?.model)).toEqual(['llama3.2:1b', 'my/own:7b']);
});

test.each([
  [0, 'ollama', 'an Ollama server'],
  [1, 'vllm', 'a server such as vLLM'],
  [2, 'llama-cpp', 'a server such as llama.cpp'],
])('where nothing is named, a server at its usual port is used if the operator agrees: %s', async (at, name, what) => {
  const ports = [1, 1, 1].with(at, Number(new URL(url).port)).join(',');
  const questions: string[] = [];
  const answering = (first: string) => (question: string) => {
    questions.push(question);
    return Promise.resolve(questions.length === 1 ? first : '');
  };
  const refused = await start({ MODEL_SERVER_PORTS: ports }, { ask: answering('no') });
  expect([refused.environment['MODELS_FILE'], existsSync(path())]).toEqual([undefined, false]);
  expect(questions.splice(0)).toEqual([`${what} (2 models) answers at ${url}/v1. Use it? [Y/n] `]);
  const { environment } = await start({ MODEL_SERVER_PORTS: ports }, { ask: answering('Y') });
  const catalog = await readCatalog({ environment }, 'with secrets');
  expect(catalog.models.get('ai-2.5-flash')?.routes).toMatchObject([{ upstream: name, model: 'llama3.2:1b' }]);
  expect(catalog.models.get('ai-2.5-pro')?.routes).toMatchObject([{ upstream: name, model: 'qwen3:32b' }]);
});

test('the usual ports are those of Ollama, vLLM and llama.cpp', () => {
  expect(checkSettings({}).MODEL_SERVER_PORTS).toEqual([11_434, 8_000, 8_080]);
  expect(() => checkSettings({ MODEL_SERVER_PORTS: '1,2' })).toThrow(/must be three port numbers/);
});

test('a variable that the file names and that is missing is a problem, with line and column', async () => {
  writeFileSync(
    path(),
    'upstreams:\n  a: { provider: gemini, api_key: ${A_KEY} }\nmodels:\n' +
      ['ai-2.5-flash', 'ai-2.5-pro'].map((name) => `  ${name}: { routes: [{ upstream: a, model: m }] }\n`).join(''),
  );
  const environment = { MODELS_FILE: path() };
  await expect(readCatalog({ environment }, 'with secrets')).rejects.toMatchObject({
    problems: [expect.stringMatching(/models\.yaml:2:26: .*A_KEY/)],
  });
  await expect(readCatalog({ environment: { ...environment, A_KEY: KEY } }, 'with secrets')).resolves.toBeDefined();
});

test('a key for Anthropic is enough', async () => {
  models = ['claude-sonnet-5', 'claude-haiku-5'];
  const { environment } = await start({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `${url}/v1` });
  expect(asked).toEqual([{ path: '/v1/models?limit=1000', key: KEY }]);
  const catalog = await readCatalog({ environment }, 'with secrets');
  expect(catalog.upstreams.get('claude')).toMatchObject({
    provider: 'anthropic',
    apiKey: { variable: 'ANTHROPIC_API_KEY' },
  });
});

test('a later start writes it for what variables alone cannot use, without a question', async () => {
  models = ['claude-sonnet-5', 'claude-haiku-5'];
  const ask = () => Promise.reject(new Error('asked'));
  const given = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `${url}/v1` };
  expect((await start(given, { isFirst: false, ask })).environment).toMatchObject({ MODELS_FILE: path() });
});

test('a key whose upstream lists nothing leaves the demo model, and that is said', async () => {
  models = [];
  const given = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `${url}/v1` };
  for (const isFirst of [true, false]) {
    expect((await start(given, { isFirst })).environment).toEqual(given);
    expect(said.splice(0).join()).toMatch(/^ANTHROPIC_API_KEY is set, but its upstream listed no models/);
  }
});

describe('nothing is written', () => {
  test.each<[string, Record<string, string>, { isFirst?: boolean }]>([
    ['at a later start, where variables are enough', {}, { isFirst: false }],
    ['where the operator has mapped the models', { MODEL_MAP: '{"ai-2.5-pro":"x"}' }, {}],
    ['where the operator has chosen a provider', { MODEL_PROVIDER: 'demo' }, {}],
  ])('%s', async (_, more, how) => {
    const given = { OPENAI_BASE_URL: `${url}/v1`, ...more };
    expect((await start(given, how)).environment).toEqual(given);
    expect([asked, said, existsSync(path())]).toEqual([[], [], false]);
  });

  test('where the upstream lists nothing', async () => {
    models = [];
    const given = { OPENAI_BASE_URL: `${url}/v1` };
    expect((await start(given)).environment).toEqual(given);
    expect(existsSync(path())).toBe(false);
  });

  test('over a file that is there', async () => {
    writeFileSync(path(), 'mine');
    await start({ OPENAI_BASE_URL: `${url}/v1` });
    expect(readFileSync(path(), 'utf8')).toBe('mine');
    expect(said.join()).toMatch(/is there already/);
  });

  test('where nothing is named and there is no terminal', async () => {
    expect((await start({})).environment).toEqual({});
    expect(said).toEqual([]);
  });
});
