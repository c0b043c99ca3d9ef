import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LITELLM, LITELLM_KEY, startLiteLlm } from '../litellm.ts';
import { measureRound } from '../measure.ts';
import { chatRequest } from '../processes/service-under-test.ts';
import { machineLoad } from '../processes/usage.ts';
import type { ThroughputRow } from '../results.ts';
import { promptFor } from '../wish.ts';
import { startContenders, type Upstream } from './contenders.ts';
import { measureCase, type Say, type ThroughputCase } from './throughput.ts';

/** Plain requests beside LiteLLM's proxy, in a run of its own: it is too slow to take its turns among the others. */
export interface LiteLlmFigures {
  readonly madeAt: string;
  readonly version: string;
  /** The 1-minute load of the machine before the run. */
  readonly loadBefore: number;
  readonly rows: readonly ThroughputRow[];
}

const SMALL = { bytes: 2_048, delayMs: 0 };
/** It imports and compiles in its first requests. */
const WARM_UP_SECONDS = 8;

/**
 * @param options.portkey false leaves Portkey out, where it cannot be installed
 * @returns `undefined` where LiteLLM cannot be installed, or does not start
 * @throws when a process of the others does not start, or the load generator fails
 */
export async function measureBesideLiteLlm(
  upstream: Upstream,
  rounds: number,
  say: Say,
  options: { readonly portkey: boolean },
): Promise<LiteLlmFigures | undefined> {
  const loadBefore = machineLoad();
  const folder = await mkdtemp(join(tmpdir(), 'lontar-litellm-'));
  const proxy = await startLiteLlm(folder, upstream.port);
  if (proxy === undefined) return undefined;
  const contenders = await startContenders(upstream, options);
  const processes = [{ name: 'litellm', pid: proxy.pid }, upstream.process];
  const all = {
    ...contenders,
    names: [...contenders.names, 'litellm' as const],
    target(...[name, wish]: Parameters<typeof contenders.target>) {
      if (name !== 'litellm') return contenders.target(name, wish);
      return { name, ports: [proxy.port], requests: [chatRequest(promptFor(wish), LITELLM_KEY)], processes };
    },
  };
  const names: ThroughputCase['contenders'] = ['service', 'v1', 'portkey', 'litellm'];
  const rows: ThroughputRow[] = [];
  try {
    for (const name of names.filter((one) => all.names.includes(one))) {
      await measureRound(all.target(name, SMALL), { connections: 100, seconds: WARM_UP_SECONDS, warmUpSeconds: 0 });
    }
    for (const connections of [1, 10, 100]) {
      say(`beside LiteLLM, ${connections} connections`);
      const one = { ...SMALL, connections, contenders: names, seconds: 4, isOfBudget: false };
      rows.push(...(await measureCase(all, one, rounds)));
    }
  } finally {
    await Promise.all([contenders.stop(), proxy.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
  return { madeAt: new Date().toISOString(), version: LITELLM, loadBefore, rows };
}
