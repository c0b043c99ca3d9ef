import { randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listInstances } from '@lontar/shared/instances.ts';
import { type FakeUpstream, startFakeUpstream } from '@lontar/shared/testing/fake-upstream.ts';
import { until } from './harness/eventually.ts';
import { dumpRedis } from './harness/redis-dump.ts';
import { type Stack, startStack } from './harness/stack.ts';

/** The keys of two upstreams, one of them in a file; none may show anywhere. */
const KEYS = { one: randomBytes(24).toString('base64url'), two: randomBytes(24).toString('base64url') };

let folder: string;
let path: string;
let second: FakeUpstream;
let first: FakeUpstream;
let stack: Stack;
let key: string;

beforeAll(async () => {
  [first, second] = await Promise.all([startFakeUpstream(), startFakeUpstream()]);
  folder = mkdtempSync(join(tmpdir(), 'lontar-models-e2e-'));
  path = join(folder, 'models.yaml');
  writeFileSync(join(folder, 'two.key'), `${KEYS.two}\n`);
  write(fileOf(''));
  const settings = { MODELS_FILE: path, ONE_KEY: KEYS.one, TWO_KEY_FILE: join(folder, 'two.key') };
  stack = await startStack({ stats: true, settings });
  key = (await stack.createKey()).key;
});
afterAll(async () => {
  await stack.stop();
  await Promise.all([first.stop(), second.stop()]);
  rmSync(folder, { recursive: true });
});

const fileOf = (more: string) => `upstreams:
  one: { provider: openai, base_url: ${first.openAiUrl}, api_key: \${ONE_KEY} }
  two: { provider: openai, base_url: ${second.openAiUrl}, api_key: \${TWO_KEY} }
models:
  ai-2.5-flash: { aliases: [fast], routes: [{ upstream: one, model: small }] }
  ai-2.5-pro: { routes: [{ upstream: one, model: large }] }
  vendor/Other-7b: { aliases: [other], routes: [{ upstream: two, model: "other:7b" }] }
${more}`;

/** As editors do: a new file takes the place of the old one. */
function write(text: string): void {
  writeFileSync(`${path}.new`, text);
  rmSync(path, { recursive: true, force: true });
  renameSync(`${path}.new`, path);
}

async function get(path: string, apiKey = key): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${stack.url}${path}`, { headers: { 'x-api-key': apiKey } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const ask = (model: string, apiKey?: string) => get(`/api/ai?prompt=hi&model=${encodeURIComponent(model)}`, apiKey);

async function chat(model: string) {
  const response = await fetch(`${stack.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Resolves when the gateway and the worker say this of the file of models. */
const everywhere = (is: (models: { digest: string; broken: boolean }) => boolean) =>
  until(async () => {
    const instances = await listInstances(stack.redis.client);
    const models = instances.flatMap(({ models: all }) => (all === undefined ? [] : [all]));
    return models.length === 2 && models.every(is);
  });

test('each name and alias is answered by the upstream of its route, with its key', async () => {
  expect(await ask('fast')).toMatchObject({ status: 200 });
  expect((await first.nextCall()).headers.authorization).toBe(`Bearer ${KEYS.one}`);
  expect(first.calls[0]?.model).toBe('small');
  expect(await chat('other')).toMatchObject({ status: 200, body: { model: 'vendor/Other-7b' } });
  const call = await second.nextCall();
  expect([call.model, call.headers.authorization]).toEqual(['other:7b', `Bearer ${KEYS.two}`]);
  // The line of each request names the route.
  const isLogged = (route: string) => stack.logs().includes(`"modelRoute":"${route}"`);
  await until(() => Promise.resolve(isLogged('one/small') && isLogged('two/other:7b')));
  expect(await ask('ai-2.5')).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/must be one of ai-2.5-flash, ai-2.5-pro, vendor\/Other-7b;/) },
  });
});

test('lists, keys and the API document have the names of the file', async () => {
  const names = ({ body }: { body: Record<string, unknown> }) => (body['data'] as { id: string }[]).map(({ id }) => id);
  expect(names(await get('/v1/models'))).toEqual(['ai-2.5-flash', 'ai-2.5-pro', 'vendor/Other-7b']);
  expect(await get('/v1/models/vendor%2FOther-7b')).toMatchObject({ status: 200, body: { id: 'vendor/Other-7b' } });
  const { key: narrow } = await stack.createKey('--models', 'other');
  expect(names(await get('/v1/models', narrow))).toEqual(['vendor/Other-7b']);
  expect(await ask('other', narrow)).toMatchObject({ status: 200 });
  expect(await ask('fast', narrow)).toMatchObject({ status: 403 });
  await expect(stack.createKey('--models', 'gpt-4')).rejects.toThrow(/gpt-4 is no model here/);
  expect(JSON.stringify((await get('/openapi.json')).body)).toContain('"vendor/Other-7b"');
});

test('each route can be tried, and says what failed', async () => {
  first.queue({ kind: 'answer', text: 'Hello.' });
  second.queue({ kind: 'status', status: 401, body: { error: { message: `bad key ${KEYS.two}` } } });
  const good = await stack.lontar('models', 'test', 'fast');
  expect(good.stdout).toMatch(/ai-2.5-flash +one: small +\d+ ms +ok/);
  const bad = await stack.lontar('models', 'test', 'other').catch((error: { stdout: string; stderr: string }) => error);
  expect(bad.stdout).toMatch(/vendor\/Other-7b +two: other:7b +\d+ ms +unauthorized/);
  expect(bad.stderr).toContain('1 of 1 routes did not answer');
  expect(bad.stdout + bad.stderr).not.toContain(KEYS.two);
});

test('a changed file is taken up while the service runs, and a broken one is not', async () => {
  expect(await chat('new')).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } });
  const [before] = await listInstances(stack.redis.client);
  write(fileOf('  new: { routes: [{ upstream: two, model: newest }] }\n'));
  await everywhere(({ digest, broken }) => !broken && digest !== before?.models?.digest);
  second.reset();
  expect(await chat('new')).toMatchObject({ status: 200, body: { model: 'new' } });
  expect((await second.nextCall()).model).toBe('newest');

  write(`upstreams: { a: ${KEYS.two} ]\n`);
  await everywhere((models) => models.broken);
  expect(await chat('new')).toMatchObject({ status: 200 });
  const doctor = await stack.lontar('doctor').catch((error: { stdout: string }) => error);
  expect(doctor.stdout).toMatch(/FAILED +models file .*models\.yaml:1:\d+: /);
  expect(doctor.stdout).toMatch(/FAILED +models in force .*the version before it is in use/);
  write(fileOf(''));
  await everywhere((models) => !models.broken);
  expect(await chat('new')).toMatchObject({ status: 404 });
  const { stdout } = await stack.lontar('models', 'check');
  expect(stdout).toMatch(/is good: 3 models over 2 upstreams/);
});

test('no key of an upstream shows in a log, a metric, an answer, a document, Redis or a command', async () => {
  // An upstream that gives its own caller's key away, and one that refuses with it.
  first.queue({ kind: 'answer', text: `Your key is ${KEYS.one}, and the other is ${KEYS.two}.` });
  expect(JSON.stringify(await ask('fast'))).toContain('***');
  first.queue({ kind: 'status', status: 401, body: { error: { message: `bad key ${KEYS.one}` } } });
  expect(await ask('fast')).toMatchObject({ status: 502 });
  const pages = ['/', '/api/health', '/openapi.json', '/llms.txt', '/docs', '/api/stats', '/v1/models'];
  const { stdout: made } = await stack.lontar('admin-tokens', 'create', '--name', 'e2e', '--role', 'viewer', '--json');
  const authorization = `Bearer ${(JSON.parse(made) as { token: string }).token}`;
  const modelsPage = await (await fetch(`${stack.url}/admin/v1/models`, { headers: { authorization } })).text();
  expect(modelsPage).toContain('"upstreams"');
  const said = [
    modelsPage,
    ...(await Promise.all(pages.map(async (page) => (await fetch(`${stack.url}${page}`)).text()))),
    ...(await Promise.all((await stack.metricsUrls()).map(async (url) => (await fetch(url)).text()))),
    ...(
      await Promise.all(
        [
          ['config', 'print'],
          ['models', 'list'],
          ['models', 'check'],
          ['models', 'test'],
          ['doctor', '--probe', '--json'],
        ].map((args) => stack.lontar(...args).catch((error: { stdout: string; stderr: string }) => error)),
      )
    ).map(({ stdout, stderr }) => stdout + stderr),
    await dumpRedis(stack.redis.client),
    stack.logs(),
  ];
  expect(said.join('\n')).toContain('vendor/Other-7b');
  for (const secret of Object.values(KEYS)) expect(said.filter((text) => text.includes(secret))).toEqual([]);
});
