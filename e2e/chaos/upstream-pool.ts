import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FakeBehaviour, FakeCall } from '@lontar/shared/testing/fake-behaviour.ts';
import { type FakeUpstream, startFakeUpstream } from '@lontar/shared/testing/fake-upstream.ts';
import { NONCE } from './ledger.ts';
import type { System } from './system.ts';

/** Ways in which one upstream of several goes wrong. */
export const POOL_MOODS = {
  dead: 'reset',
  hanging: 'hang',
  'over quota': { kind: 'status', status: 429, headers: { 'retry-after': '5' } },
  failing: { kind: 'status', status: 503 },
  'half-streaming': { kind: 'error-event' },
  garbage: 'garbage',
  unauthorized: { kind: 'status', status: 401 },
} as const satisfies Readonly<Record<string, FakeBehaviour>>;
export type PoolMood = keyof typeof POOL_MOODS;

/** A call as the pool saw it. */
export interface PoolCall {
  readonly at: number;
  readonly mood: PoolMood | 'well';
}

/** Three upstreams behind one name, each of which can be made to go wrong. */
export interface UpstreamPool {
  /** For all services. */
  readonly settings: Readonly<Record<string, string>>;
  /** Calls of each upstream, in the order of their arrival. */
  readonly calls: readonly (readonly PoolCall[])[];
  /** Lets them answer, with the nonces and the secret of the system's ledger. */
  serve(system: System, delayMs: () => number): void;
  setMood(upstream: number, mood: PoolMood | 'well'): void;
  stop(): Promise<void>;
}

const UPSTREAMS = 3;

export async function startUpstreamPool(): Promise<UpstreamPool> {
  const fakes: FakeUpstream[] = [];
  for (let index = 0; index < UPSTREAMS; index++) fakes.push(await startFakeUpstream());
  const folder = await mkdtemp(join(tmpdir(), 'lontar-pool-'));
  const file = join(folder, 'models.yaml');
  await writeFile(file, modelsFile(fakes));
  const moods: (PoolMood | 'well')[] = fakes.map(() => 'well');
  const calls: PoolCall[][] = fakes.map(() => []);
  return {
    settings: { MODELS_FILE: file },
    calls,
    serve(system, delayMs) {
      for (const [index, fake] of fakes.entries()) {
        fake.behave((call: FakeCall) => {
          const mood = moods[index] ?? 'well';
          calls[index]?.push({ at: performance.now(), mood });
          const nonce = NONCE.exec(call.prompt)?.[0] ?? '';
          system.ledger.called(nonce, Date.now());
          return mood === 'well' ? system.answer(nonce, delayMs()) : POOL_MOODS[mood];
        });
      }
    },
    setMood(upstream, mood) {
      moods[upstream] = mood;
    },
    async stop() {
      await Promise.all(fakes.map((fake) => fake.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function modelsFile(fakes: readonly FakeUpstream[]): string {
  const upstreams = fakes.map((fake, index) => `  u${index + 1}: { provider: openai, base_url: ${fake.openAiUrl} }`);
  const routes = fakes.map((_, index) => `{ upstream: u${index + 1}, model: m }`).join(', ');
  const model = `{ routes: [${routes}], deadlines: { connect: 1s, first_token: 2s, idle: 2s, total: 10s } }`;
  return [
    'upstreams:',
    ...upstreams,
    'models:',
    `  ai-2.5-flash: ${model}`,
    `  ai-2.5-pro: { routes: [{ upstream: u1, model: m }] }`,
    '',
  ].join('\n');
}
