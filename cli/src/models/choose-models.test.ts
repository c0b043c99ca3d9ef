import { expect, test } from '@jest/globals';
import { readModels } from '@lontar/shared/models/read-models.ts';
import { chooseModels } from './choose-models.ts';
import type { FoundUpstream } from './find-upstreams.ts';
import { writeModels } from './write-models.ts';

test.each<[string, string[], string, string]>([
  [
    'Gemini',
    ['gemini-1.5-pro', 'gemini-2.5-flash-lite', 'gemini-2.5-flash', 'gemini-2.5-pro'],
    'gemini-2.5-flash',
    'gemini-2.5-pro',
  ],
  ['Anthropic', ['claude-opus-5', 'claude-sonnet-5', 'claude-haiku-5'], 'claude-haiku-5', 'claude-sonnet-5'],
  ['OpenAI', ['gpt-3.5-turbo', 'gpt-4.1', 'gpt-4.1-mini', 'o4-mini'], 'gpt-4.1-mini', 'gpt-4.1'],
  ['Mistral', ['mistral-large-latest', 'mistral-small-latest'], 'mistral-small-latest', 'mistral-large-latest'],
  ['Ollama', ['qwen3:32b', 'llama3.2:1b', 'gemma3:4b'], 'llama3.2:1b', 'qwen3:32b'],
  ['one model', ['llama3.2'], 'llama3.2', 'llama3.2'],
  ['names that say nothing', ['b', 'a'], 'b', 'b'],
  ['a later Gemini alone', ['gemini-9-pro'], 'gemini-9-pro', 'gemini-9-pro'],
])('of %s', (_, models, fast, strong) => {
  expect(chooseModels({ models })).toEqual({ 'ai-2.5-flash': fast, 'ai-2.5-pro': strong });
});

const upstreams: FoundUpstream[] = [
  {
    name: 'openai',
    provider: 'openai',
    foundBy: 'OPENAI_BASE_URL',
    baseUrl: 'http://x/v1',
    variable: 'OPENAI_API_KEY',
    models: ['a:1b', 'b:2b'],
  },
  {
    name: 'claude',
    provider: 'anthropic',
    foundBy: 'ANTHROPIC_API_KEY',
    variable: 'ANTHROPIC_API_KEY',
    models: ['claude-haiku'],
  },
];

test('a written file is one that can be read, whatever was found', () => {
  const of = (found: readonly FoundUpstream[]) => {
    const reading = readModels(
      writeModels(
        found.map((upstream) => ({ upstream, chosen: chooseModels(upstream) })),
        'models.schema.json',
      ),
    );
    return reading.ok ? reading.file : reading.problems;
  };
  expect(of(upstreams)).toMatchObject({
    upstreams: [
      { name: 'openai', provider: 'openai', baseUrl: 'http://x/v1', apiKey: { variable: 'OPENAI_API_KEY' } },
      { name: 'claude', provider: 'anthropic', apiKey: { variable: 'ANTHROPIC_API_KEY' } },
    ],
    models: [
      {
        name: 'ai-2.5-flash',
        routes: [
          { model: 'a:1b', order: 1 },
          { upstream: 'claude', order: 2 },
        ],
      },
      { name: 'ai-2.5-pro', routes: [{ model: 'b:2b' }, { model: 'claude-haiku' }] },
    ],
  });
  expect(of([])).toMatchObject({ upstreams: [{ provider: 'demo' }] });
});
