import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@lontar/shared/testing/redis-server.ts';
import { end, endWithUs } from '../harness/launch.ts';

const run = promisify(execFile);

/** What requests and streams are compared with where Python's pip can serve it. Pinned here; users of Lontar need not install it. */
const VERSION = '1.106.2';
const CACHE = fileURLToPath(new URL(`../../.lontar/bench/litellm-${VERSION}`, import.meta.url));
export const LITELLM = `LiteLLM's proxy ${VERSION}`;
/** It imports for half a minute on a busy machine. */
const START_MS = 180_000;
const INSTALL_MS = 600_000;

/** The key that its callers send: it starts with none that is short. */
export const LITELLM_KEY = 'sk-of-the-bench-0123456789abcdef0123456789abcdef';

export interface LiteLlm {
  readonly port: number;
  readonly pid: number;
  /** Never rejects. */
  stop(): Promise<void>;
}

/**
 * LiteLLM's proxy before the mock upstream, as its documentation starts it: without a database, and without masking.
 *
 * @param folder for its settings and its output
 * @returns `undefined` where it cannot be installed, or does not start: the comparison is left out, and said so
 */
export async function startLiteLlm(folder: string, upstreamPort: number): Promise<LiteLlm | undefined> {
  const command = await installLiteLlm();
  if (command === undefined) return undefined;
  const port = await freePort();
  const settings = join(folder, 'litellm.yaml');
  const route = { model: 'openai/m', api_base: `http://127.0.0.1:${upstreamPort}/v1`, api_key: 'none' };
  // JSON is YAML.
  writeFileSync(settings, JSON.stringify({ model_list: [{ model_name: 'ai-2.5-flash', litellm_params: route }] }));
  const output = openSync(join(folder, 'litellm.log'), 'w');
  const child = spawn(command, ['--config', settings, '--host', '127.0.0.1', '--port', String(port)], {
    env: { ...process.env, LITELLM_MASTER_KEY: LITELLM_KEY, LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  endWithUs(child);
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline && child.exitCode === null) {
    const isUp = await fetch(`http://127.0.0.1:${port}/health/liveliness`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return { port, pid: child.pid ?? 0, stop: () => end(child, 'SIGKILL').then(() => undefined) };
    await delay(250);
  }
  await end(child, 'SIGKILL');
  console.error(`${LITELLM} does not start here: it is left out.`);
  return undefined;
}

/** Installs it where it is missing. */
async function installLiteLlm(): Promise<string | undefined> {
  const command = join(CACHE, 'bin/litellm');
  if (existsSync(command)) return command;
  console.error(`Installing ${LITELLM} for the comparison …`);
  try {
    mkdirSync(CACHE, { recursive: true });
    await run('python3', ['-m', 'venv', CACHE]);
    const packages = ['install', '--quiet', `litellm[proxy]==${VERSION}`];
    await run(join(CACHE, 'bin/pip'), packages, { timeout: INSTALL_MS });
    return command;
  } catch {
    console.error(`${LITELLM} cannot be installed here: it is left out.`);
    return undefined;
  }
}
