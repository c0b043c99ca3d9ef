import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { freePort } from '@lontar/shared/testing/redis-server.ts';
import { type StrictUpstream, startStrictUpstream } from '@lontar/shared/testing/strict-upstream.ts';
import { parse } from 'yaml';
import { launch } from './harness/launch.ts';
import { type Launched, listenTo } from './harness/npm-start.ts';
import { findTerminal } from './harness/terminal.ts';

jest.setTimeout(120_000);

const READY = /Ctrl-C stops everything/;
const KEY = ['sk', 'first', '0123456789'].join('-');
const MODELS = ['nomic-embed-text', 'qwen3:32b', 'llama3.2:1b', 'claude-haiku-5', 'gemini-2.5-pro'];

const terminal = findTerminal();
/** The one asks for no key, as servers of this machine do. */
let local: StrictUpstream;
let keyed: StrictUpstream;
/** Those of tests that failed, too, which did not stop them. */
const started: FirstStart[] = [];

beforeAll(async () => {
  local = await startStrictUpstream({ models: MODELS.slice(0, 3) });
  keyed = await startStrictUpstream({ models: MODELS, key: KEY });
});
afterAll(async () => {
  await Promise.all(started.map((start) => start.stop()));
  await Promise.all([local.stop(), keyed.stop()]);
});

interface FirstStart extends Launched {
  /** The file of models that it wrote; undefined for none. */
  modelsFile(): string | undefined;
  /** Waits for a question, and types an answer to it. */
  answers(question: RegExp, typed: string): Promise<void>;
  stop(): Promise<void>;
}

/** The first `npm start` of an installation: a folder and a home of its own, no settings but these. */
async function firstStart(
  environment: Record<string, string>,
  wrap?: (command: readonly string[]) => readonly string[],
): Promise<FirstStart> {
  const folder = mkdtempSync(join(tmpdir(), 'lontar-first-models-'));
  const names = ['PORT', 'STATS_PORT', 'METRICS_PORT'];
  // Of two starts at once each has to have its own.
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())]));
  const own = { LONTAR_FOLDER: folder, LONTAR_HOME: join(folder, '.lontar'), ...Object.fromEntries(ports) };
  const child = launch(['cli/bootstrap.mjs', 'start'], {
    environment: { ...own, MODEL_SERVER_PORTS: '1,1,1', ...environment },
    stdio: [wrap === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...(wrap !== undefined && { wrap }),
  });
  const launched = listenTo(child);
  let stopped: Promise<void> | undefined;
  const path = join(folder, 'models.yaml');
  const start: FirstStart = {
    ...launched,
    modelsFile: () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
    async answers(question, typed) {
      await launched.says(question);
      child.stdin?.write(`${typed}\r`);
    },
    stop() {
      // At a terminal as an operator does it.
      if (stopped === undefined && wrap === undefined) child.kill('SIGINT');
      else if (stopped === undefined) child.stdin?.write('\u0003');
      stopped ??= launched.ended.then(() => rmSync(folder, { recursive: true }));
      return stopped;
    },
  };
  started.push(start);
  return start;
}

/** What answers for each public name, by the file. */
function routesOf(start: FirstStart): Record<string, unknown> {
  const { models } = parse(start.modelsFile() ?? '') as { models: Record<string, { routes: unknown[] }> };
  return Object.fromEntries(Object.entries(models).map(([name, { routes }]) => [name, routes]));
}

describe('without a terminal the first that fit are taken, one of them is asked, and both is said', () => {
  const fast = 'llama3.2:1b';
  test.concurrent.each<[string, () => Record<string, string>, string, string, string]>([
    [
      'OPENAI_BASE_URL',
      () => ({ OPENAI_BASE_URL: keyed.openAiUrl, OPENAI_API_KEY: KEY }),
      ...(['openai', 'claude-haiku-5', 'gemini-2.5-pro'] as const),
    ],
    ['OLLAMA_HOST', () => ({ OLLAMA_HOST: `127.0.0.1:${local.port}` }), 'ollama', fast, 'qwen3:32b'],
    [
      'GEMINI_API_KEY',
      () => ({ GEMINI_API_KEY: KEY, GEMINI_BASE_URL: keyed.geminiUrl }),
      ...(['gemini', 'claude-haiku-5', 'gemini-2.5-pro'] as const),
    ],
    [
      'ANTHROPIC_API_KEY',
      () => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: keyed.anthropicUrl }),
      ...(['claude', 'claude-haiku-5', 'gemini-2.5-pro'] as const),
    ],
  ])('%s', async (variable, environment, upstream, flash, pro) => {
    const start = await firstStart(environment());
    await start.says(READY);
    expect(start.said()).toMatch(
      new RegExp(`Found ${variable} \\(\\d models\\): ai-2.5-flash is ${flash}, ai-2.5-pro is ${pro}\\. Written to `),
    );
    expect(start.said()).toMatch(/Test request: answered in \d+ ms/);
    expect(start.said()).toContain(`Model: ai-2.5-flash is ${flash} of ${upstream}.`);
    expect(routesOf(start)).toEqual({
      'ai-2.5-flash': [{ upstream, model: flash }],
      'ai-2.5-pro': [{ upstream, model: pro }],
    });
    expect(start.modelsFile() + start.said()).not.toContain(KEY);
    await start.stop();
  });
});

const inTerminal = terminal === undefined ? describe.skip : describe;
inTerminal('at a terminal (needs script of util-linux, or Python)', () => {
  test.concurrent('a server of this machine is used where the operator says yes, with the models that are typed', async () => {
    const start = await firstStart({ MODEL_SERVER_PORTS: `${local.port},1,1` }, terminal);
    const found = `an Ollama server \\(2 models\\) answers at http://127.0.0.1:${local.port}/v1\\. Use it\\? \\[Y/n\\]`;
    await start.answers(new RegExp(found), 'y');
    await start.answers(/Which model answers as ai-2.5-flash\? \[llama3.2:1b\]/, '');
    await start.answers(/Which model answers as ai-2.5-pro\? \[qwen3:32b\]/, 'llama3.2:1b');
    await start.says(READY);
    expect(start.said()).toMatch(/Test request: answered in \d+ ms/);
    const routes = [{ upstream: 'ollama', model: 'llama3.2:1b' }];
    expect(routesOf(start)).toEqual({ 'ai-2.5-flash': routes, 'ai-2.5-pro': routes });
    await start.stop();
  });

  test.concurrent('the demo model answers where the operator says no', async () => {
    const start = await firstStart({ MODEL_SERVER_PORTS: `${local.port},1,1` }, terminal);
    await start.answers(/Use it\? \[Y\/n\]/, 'n');
    await start.says(READY);
    expect(start.said()).toContain('DEMO');
    expect(start.modelsFile()).toBeUndefined();
    await start.stop();
  });
});
