import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findCanaries } from './chaos/canaries.ts';
import { ask, expectSuccess } from './harness/client.ts';
import { dumpRedis } from './harness/redis-dump.ts';
import { type Stack, startStack } from './harness/stack.ts';

// Made at run time, so that no token-shaped text stands in the sources.
const PROMPT_CANARY = ['prompt', 'canary', String(Date.now())].join('-');
const ANSWER_SECRET = ['ghp', 'aB3dE6gH9'.repeat(4)].join('_');

let stack: Stack;
let key: string;

beforeAll(async () => {
  stack = await startStack({ settings: { LOG_LEVEL: 'trace', LOG_CONTENT: 'off' } });
  ({ key } = await stack.createKey());
});
afterAll(() => stack.stop());

test('no key, pepper, upstream key, prompt or unmasked answer stays in a log or in Redis', async () => {
  stack.upstream.behave({ kind: 'answer', text: `Your token is ${ANSWER_SECRET} and it is secret.` });
  const first = await ask(stack.url, '/api/ai', { query: { prompt: PROMPT_CANARY, apikey: key } });
  expect(expectSuccess(first)).toContain('***API_KEY***');
  await ask(stack.url, '/api/ai', { method: 'POST', body: { prompt: PROMPT_CANARY, apikey: key, model: 'unknown' } });
  await ask(stack.url, '/api/ai', { query: { prompt: PROMPT_CANARY, apikey: `${key}x` } });
  stack.upstream.queue({ kind: 'status', status: 500 }, { kind: 'status', status: 400, body: `echo ${PROMPT_CANARY}` });
  await ask(stack.url, '/api/ai2', { query: { prompt: PROMPT_CANARY }, headers: { authorization: `Bearer ${key}` } });
  await ask(stack.url, `/nothing?apikey=${key}`);

  const places = { logs: stack.logs(), redis: await dumpRedis(stack.redis.client) };
  for (const [place, text] of Object.entries(places)) {
    expect(text.length).toBeGreaterThan(100);
    for (const secret of [key, PROMPT_CANARY, ANSWER_SECRET, ...Object.values(stack.secrets)]) {
      for (const form of [
        secret,
        Buffer.from(secret).toString('base64').slice(0, -4),
        Buffer.from(secret).toString('hex'),
      ]) {
        expect({ place, found: text.includes(form) }).toEqual({ place, found: false });
      }
    }
  }
});

test('no key of Gemini or Anthropic stays in what is left of a worker that crashes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lontar-crash-'));
  const file = join(folder, 'models.yaml');
  const base = `http://127.0.0.1:${stack.upstream.port}`;
  writeFileSync(
    file,
    `upstreams:
  gem: { provider: gemini, base_url: ${base}/v1beta, api_key: \${GEM_KEY} }
  claude: { provider: anthropic, base_url: ${base}/elsewhere, api_key: \${CLAUDE_KEY} }
models:
  ai-2.5-flash: { routes: [{ upstream: gem, model: m }] }
  ai-2.5-pro: { routes: [{ upstream: claude, model: m }] }
`,
  );
  const keys = { GEM_KEY: randomBytes(24).toString('base64url'), CLAUDE_KEY: randomBytes(24).toString('base64url') };
  const crash = encodeURIComponent("process.on('SIGUSR2', () => { throw new Error('a crash of the test'); });");
  const NODE_OPTIONS = `--import=data:text/javascript,${crash} --report-uncaught-exception --report-directory=${folder}`;
  await stack.workers[0]?.end('SIGTERM');
  const worker = await stack.startWorker({ settings: { ...keys, MODELS_FILE: file, NODE_OPTIONS } });
  stack.upstream.behave({ kind: 'answer', text: 'An answer.' });
  const flash = await ask(stack.url, '/api/ai', { query: { prompt: 'hi', apikey: key, model: 'ai-2.5-flash' } });
  expect(expectSuccess(flash)).toBe('An answer.');
  const pro = await ask(stack.url, '/api/ai', { query: { prompt: 'hi', apikey: key, model: 'ai-2.5-pro' } });
  expect(pro.status).toBeGreaterThanOrEqual(500);
  const ended = once(worker.process, 'close');
  worker.process.kill('SIGUSR2');
  await ended;
  const report = readdirSync(folder).find((name) => name.startsWith('report.')) ?? '';
  const places = { report: readFileSync(join(folder, report), 'utf8'), logs: worker.logs() };
  rmSync(folder, { recursive: true });
  expect(places.report).toContain('a crash of the test');
  expect(findCanaries({ ...keys, ...stack.secrets }, places)).toEqual([]);
});
