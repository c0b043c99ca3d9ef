import { expect, test } from '@jest/globals';
import { readEnvText } from './env-file.ts';

test('a byte order mark and ends of lines as on Windows belong to no name and no value', () => {
  expect(readEnvText('\uFEFFPORT=8085\r\nMODEL_PROVIDER=demo\r\n')).toEqual({
    values: { PORT: '8085', MODEL_PROVIDER: 'demo' },
    doubts: [],
  });
});

test.each([
  ['PORT: 8085', 'Line 1 of .env has no effect: write PORT=VALUE, with = instead of the colon.'],
  [
    'OPENAI_BASEURL=http://127.0.0.1/v1',
    '.env sets OPENAI_BASEURL, which is no setting. Did you mean OPENAI_BASE_URL?',
  ],
  ['OPENAI_KEY=x', '.env sets OPENAI_KEY, which is no setting. Did you mean OPENAI_API_KEY?'],
  ['GEMINI_APIKEY=x', '.env sets GEMINI_APIKEY, which is no setting. Did you mean GEMINI_API_KEY?'],
  ['WORKER_CONCURENCY=5', '.env sets WORKER_CONCURENCY, which is no setting. Did you mean WORKER_CONCURRENCY?'],
  ['port=8085', '.env sets port, which is no setting. Did you mean PORT?'],
  ['OPENAI_API_KEY=YOUR_KEY', '.env sets OPENAI_API_KEY to a placeholder of the documents: put your own key there.'],
  ['ANTHROPIC_API_KEY=<key>', '.env sets ANTHROPIC_API_KEY to a placeholder of the documents: put your own key there.'],
])('%s is doubted', (line, doubt) => {
  expect(readEnvText(`${line}\n`).doubts).toEqual([doubt]);
});

test('what containers, models.yaml and files of secrets are named by is not', () => {
  const names = [
    'BIND_ADDRESS',
    'REDIS_MAXMEMORY',
    'GRAFANA_PORT',
    'STOP_GRACE_PERIOD',
    'BACKUP_KEY',
    'KEY_PEPPER_FILE',
  ];
  const more = ['ANTHROPIC_API_KEY', 'OLLAMA_HOST', 'LONTAR_IMAGE', 'NODE_IMAGE', 'RUNBOOKS_URL', 'HTTPS_PROXY'];
  const text = [...names, ...more].map((name) => `${name}=x`).join('\n');
  expect(readEnvText(`# PORT: a comment\n${text}`).doubts).toEqual([]);
});
