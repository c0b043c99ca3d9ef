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
  readonly mood: PoolMood | 'well' | 'busy';
  /** When it was answered, where it was. */
  readonly answeredAt?: number;
}

/** What the pool's file says. */
export interface PoolTerms {
  readonly upstreams: number;
  /** Of each upstream; absent for no limit. */
  readonly maxInFlight?: number;
}

/** Upstreams behind one name, each of which can be made to go wrong. */
export interface UpstreamPool {
  /** For all services. */
  readonly settings: Readonly<Record<string, string>>;
  /** Calls of each upstream, in the order of their arrival. */
  readonly calls: readonly (readonly PoolCall[])[];
  /** Lets them answer, with the nonces and the secret of the system's ledger. */
  serve(system: System, delayMs: () => number): void;
  setMood(upstream: number, mood: PoolMood | 'well'): void;
  /** How many calls an upstream bears at once from now on; it refuses more by 429, without a word on when to come again. */
  setCapacity(upstream: number, calls: number): void;
  /** Forgets what the fakes keep of calls; `calls` stays. */
  forget(): void;
  stop(): Promise<void>;
}

/** What an upstream says that has no place for a call. */
const BUSY: FakeBehaviour = { kind: 'status', status: 429 };

export async function startUpstreamPool(terms: PoolTerms): Promise<UpstreamPool> {
  const fakes: FakeUpstream[] = [];
  for (let index = 0; index < terms.upstreams; index++) fakes.push(await startFakeUpstream());
  const folder = await mkdtemp(join(tmpdir(), 'lontar-pool-'));
  const file = join(folder, 'models.yaml');
  await writeFile(file, modelsFile(fakes, terms));
  const moods: (PoolMood | 'well')[] = fakes.map(() => 'well');
  const calls: PoolCall[][] = fakes.map(() => []);
  const capacities = fakes.map(() => Number.POSITIVE_INFINITY);
  const inFlight = fakes.map(() => 0);
  const answer = (index: number, system: System, nonce: string, delayMs: number) => {
    if ((inFlight[index] ?? 0) >= (capacities[index] ?? 0)) return undefined;
    inFlight[index] = (inFlight[index] ?? 0) + 1;
    setTimeout(() => {
      inFlight[index] = (inFlight[index] ?? 0) - 1;
    }, delayMs);
    return system.answer(nonce, delayMs);
  };
  return {
    settings: { MODELS_FILE: file },
    calls,
    serve(system, delayMs) {
      for (const [index, fake] of fakes.entries()) {
        fake.behave((call: FakeCall) => {
          const mood = moods[index] ?? 'well';
          const nonce = NONCE.exec(call.prompt)?.[0] ?? '';
          system.ledger.called(nonce, Date.now());
          const takesMs = delayMs();
          const answered = mood === 'well' ? answer(index, system, nonce, takesMs) : undefined;
          const isBusy = mood === 'well' && answered === undefined;
          const at = performance.now();
          calls[index]?.push({ at, mood: isBusy ? 'busy' : mood, ...(answered && { answeredAt: at + takesMs }) });
          return answered ?? (mood === 'well' ? BUSY : POOL_MOODS[mood]);
        });
      }
    },
    setMood(upstream, mood) {
      moods[upstream] = mood;
    },
    setCapacity(upstream, most) {
      capacities[upstream] = most;
    },
    forget() {
      for (const fake of fakes) fake.reset();
    },
    async stop() {
      await Promise.all(fakes.map((fake) => fake.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function modelsFile(fakes: readonly FakeUpstream[], { maxInFlight }: PoolTerms): string {
  const limit = maxInFlight === undefined ? '' : `, max_in_flight: ${maxInFlight}`;
  const upstreams = fakes.map(({ openAiUrl }, index) => {
    return `  u${index + 1}: { provider: openai, base_url: ${openAiUrl}${limit} }`;
  });
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
