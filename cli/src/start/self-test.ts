import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { limitAddress } from '@lontar/shared/address.ts';
import { describeCause } from '@lontar/shared/failure-cause.ts';
import { listInstances } from '@lontar/shared/instances.ts';
import type { Actor } from '@lontar/shared/keys/actor.ts';
import { deleteKey } from '@lontar/shared/keys/change-key.ts';
import { createKey, type KeyPlace } from '@lontar/shared/keys/create-key.ts';
import { keysNow } from '@lontar/shared/keys/read-key.ts';
import type { ModelCatalog } from '@lontar/shared/models/catalog.ts';
import type { SecretOf } from '@lontar/shared/models/secrets.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { HEARTBEAT_MS } from '@lontar/shared/time-budget.ts';
import type { Home } from '../home/home.ts';
import type { EverySetting } from '../settings/check-settings.ts';
import { type ProgressStream, withProgress } from '../system/progress.ts';

/** A loopback address that no caller has, so that the request does not count against the operator's own hour. */
const OWN_ADDRESS = '127.0.0.9';
/** What the log of requests calls who has asked. */
const KEY_NAME = 'test of the start';
const KEY_LIFETIME_MS = 10 * 60_000;
const PROMPT = 'Say hello in one short sentence.';
const EXTRA_WAIT_MS = 5_000;
const LOOK_EVERY_MS = 200;
const GIT_TIMEOUT_MS = 5_000;

/** In whose name `npm start` makes and deletes keys. */
export const STARTER: Actor = { by: 'service', id: 'npm start' };

/** Who answers, and with what keys. */
interface Choice {
  readonly settings: EverySetting;
  readonly catalog: ModelCatalog;
  readonly secretOf: SecretOf;
}

export type SelfTest =
  | { readonly outcome: 'answered'; readonly tookMs: number; readonly masked: number }
  /** `cause`: what the worker says of it, and what to do, where it says something. */
  | { readonly outcome: 'failed'; readonly problem: string; readonly cause?: string | undefined }
  | { readonly outcome: 'skipped' };

/**
 * Sends one real request the way a caller does, once for each version and choice of model: real models cost money, so a
 * mere restart asks nothing. The key for it is made, used once and removed again.
 */
export async function testOnce(
  deps: { keys: KeyPlace; home: Home; progress: ProgressStream; version: string },
  baseUrl: string,
  { settings, catalog, secretOf }: Choice,
): Promise<SelfTest> {
  const record = join(deps.home.folder, 'self-test');
  const choice = `${deps.version} ${fingerprint({ settings, catalog, secretOf })}`;
  if (readText(record) === choice) return { outcome: 'skipped' };
  const timeoutMs = settings.REQUEST_TIMEOUT_MS + EXTRA_WAIT_MS;
  const result = await withProgress('Sending a test request', deps.progress, () =>
    sendTestRequest(deps, baseUrl, timeoutMs),
  );
  if (result.outcome === 'answered') writeFileSync(record, choice, { mode: 0o600 });
  return result;
}

async function sendTestRequest({ keys }: { keys: KeyPlace }, baseUrl: string, timeoutMs: number): Promise<SelfTest> {
  const { redis } = keys;
  const expiresAt = (await keysNow(redis)) + KEY_LIFETIME_MS;
  const terms = { name: KEY_NAME, credits: 1, expiresAt };
  const { key, record } = await createKey(keys, terms, { actor: STARTER });
  const begun = performance.now();
  try {
    const { status, masked, body } = await ask(baseUrl, key, timeoutMs);
    if (status !== 200) {
      return { outcome: 'failed', problem: `HTTP ${status}: ${messageOf(body)}`, cause: await causeFrom(redis) };
    }
    return { outcome: 'answered', tookMs: Math.round(performance.now() - begun), masked };
  } catch (error) {
    return { outcome: 'failed', problem: error instanceof Error ? error.message : String(error) };
  } finally {
    await deleteKey(redis, record.id, { actor: STARTER });
    await redis.del(redisKeys.addressHour(limitAddress(OWN_ADDRESS)));
  }
}

/** Why the model did not answer, as the worker says with its next heartbeat; `undefined` where it says nothing. */
async function causeFrom(redis: Redis): Promise<string | undefined> {
  const end = performance.now() + 2 * HEARTBEAT_MS;
  while (performance.now() < end) {
    const instances = await listInstances(redis).catch(() => []);
    const failure = instances.flatMap(({ model }) => model?.failure ?? [])[0];
    if (failure !== undefined) return describeCause(failure);
    await delay(LOOK_EVERY_MS);
  }
  return undefined;
}

interface Reply {
  readonly status: number;
  readonly masked: number;
  readonly body: string;
}

function ask(baseUrl: string, key: string, timeoutMs: number): Promise<Reply> {
  const url = new URL(`/api/ai?prompt=${encodeURIComponent(PROMPT)}`, baseUrl);
  // Only Linux has the whole of 127.0.0.0/8 on the loopback interface without further set-up.
  const from = process.platform === 'linux' && url.hostname === '127.0.0.1' ? { localAddress: OWN_ADDRESS } : {};
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { 'x-api-key': key }, agent: false, timeout: timeoutMs, ...from });
    sent.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, masked: Number(response.headers['x-masked'] ?? 0), body }),
      );
      response.on('error', reject);
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', reject);
    sent.end();
  });
}

/** Changes whenever another model would answer, or the same one with another key. Gives none of it away. */
function fingerprint({ settings, catalog, secretOf }: Choice): string {
  if (catalog.source === 'file') {
    const keys = [...catalog.upstreams.values()].map(({ apiKey }) => (apiKey ? (secretOf(apiKey) ?? '') : ''));
    return createHash('sha256')
      .update(JSON.stringify([catalog.digest, keys]))
      .digest('hex');
  }
  const { MODEL_PROVIDER, MODEL_MAP, GEMINI_API_KEY, GEMINI_BASE_URL, OPENAI_BASE_URL, OPENAI_API_KEY } = settings;
  const choice = [MODEL_PROVIDER, MODEL_MAP, GEMINI_API_KEY, GEMINI_BASE_URL, OPENAI_BASE_URL, OPENAI_API_KEY];
  return createHash('sha256')
    .update(JSON.stringify(choice.map((value) => value ?? null)))
    .digest('hex');
}

/** Which sources run here: the version, and of a clone the commit. Never throws. */
export function versionOf(root: string): string {
  try {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    if (!existsSync(join(root, '.git'))) return version;
    const commit = execFileSync('git', ['-C', root, 'rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: GIT_TIMEOUT_MS,
    });
    return `${version} ${commit.trim()}`;
  } catch {
    return 'unknown';
  }
}

function messageOf(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    return typeof message === 'string' ? message : 'no message';
  } catch {
    return 'the answer was not JSON';
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
