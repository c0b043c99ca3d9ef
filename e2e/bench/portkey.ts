import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@lontar/shared/testing/redis-server.ts';
import { type Measured, startProcess } from './processes/start-process.ts';

const run = promisify(execFile);

/**
 * What the service is compared with. Pinned here and not in the lockfile, so that users of Lontar need not install it.
 */
const PACKAGE = '@portkey-ai/gateway';
const VERSION = '1.15.2';
/** Under the folder for what a checkout makes for itself; kept from run to run. */
const CACHE = fileURLToPath(new URL(`../../.lontar/bench/portkey-${VERSION}`, import.meta.url));
const START_MS = 90_000;

export const PORTKEY = `${PACKAGE} ${VERSION}`;

/** Installs Portkey's gateway where it is missing. @throws with what to do when npm cannot fetch it */
export async function installPortkey(): Promise<string> {
  const folder = join(CACHE, 'node_modules', PACKAGE);
  const script = join(folder, 'build/start-server.js');
  if (existsSync(script)) return script;
  console.error(`Installing ${PORTKEY} for the comparison …`);
  mkdirSync(CACHE, { recursive: true });
  const args = ['install', '--prefix', CACHE, '--ignore-scripts', '--no-audit', '--no-fund', `${PACKAGE}@${VERSION}`];
  try {
    await run('npm', args, { cwd: CACHE });
  } catch (error) {
    const reason = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    throw new Error(
      `${PORTKEY} could not be installed, and the comparison needs it. Without a network run "npm run bench -- --without-portkey"; ` +
        `or install it elsewhere and copy its folder to ${folder}.\n${reason}`,
      { cause: error },
    );
  }
  return script;
}

/**
 * Portkey's gateway as its documentation starts it, without its console page.
 *
 * @throws Error when it does not answer in time
 */
export async function startPortkey(script: string, folder: string): Promise<{ process: Measured; port: number }> {
  const port = await freePort();
  const [process] = await startProcess({
    name: 'portkey',
    command: [script, `--port=${port}`, '--headless'],
    // Without this it refuses hosts on the loopback interface.
    environment: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
    folder,
  });
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline) {
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return { process, port };
    await delay(50);
  }
  throw new Error(`${PORTKEY} did not answer within ${START_MS / 1000} s.`);
}

/** The same question to Portkey: it passes OpenAI's protocol through to the mock upstream. */
export function portkeyRequest(prompt: string, upstreamPort: number): string {
  return upstreamRequest(
    prompt,
    `x-portkey-provider: openai\r\nx-portkey-custom-host: http://127.0.0.1:${upstreamPort}/v1\r\n`,
  );
}

/** The question as the worker puts it to the upstream. */
export function upstreamRequest(prompt: string, headers = ''): string {
  const body = JSON.stringify({
    model: 'ai-2.5-flash',
    max_tokens: 8192,
    temperature: 0.7,
    messages: [
      { role: 'system', content: 'You are a chat bot. Answer briefly, in the language of the user.' },
      { role: 'user', content: prompt },
    ],
  });
  return (
    `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
    `Authorization: Bearer none\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: keep-alive\r\n\r\n${body}`
  );
}
