import { clientScenarios } from './faults/clients.ts';
import { clockScenarios } from './faults/clocks.ts';
import { cutScenarios } from './faults/cuts.ts';
import { failoverScenarios } from './faults/failover.ts';
import { gatewayScenarios } from './faults/gateways.ts';
import { hostileScenarios } from './faults/hostile.ts';
import { jobScenarios } from './faults/jobs.ts';
import { leavingScenarios } from './faults/leaving-clients.ts';
import { overloadScenarios } from './faults/overload.ts';
import { randomScenarios } from './faults/random.ts';
import { redisScenarios } from './faults/redis.ts';
import { slowWorkerScenarios } from './faults/slow-workers.ts';
import { soakScenarios } from './faults/soak.ts';
import { streamClientScenarios } from './faults/stream-clients.ts';
import { streamProcessScenarios } from './faults/stream-processes.ts';
import { upgradeScenarios } from './faults/upgrade.ts';
import { upstreamScenarios } from './faults/upstream.ts';
import { upstreamPoolScenarios } from './faults/upstream-pool.ts';
import { upstreamShareScenarios } from './faults/upstream-share.ts';
import { workerScenarios } from './faults/workers.ts';
import type { Scenario } from './scenario.ts';

/** Every scenario, in the order in which a long run takes them. */
export const SCENARIOS: readonly Scenario[] = [
  ...workerScenarios,
  ...slowWorkerScenarios,
  ...redisScenarios,
  ...failoverScenarios,
  ...cutScenarios,
  ...leavingScenarios,
  ...clientScenarios,
  ...gatewayScenarios,
  ...streamClientScenarios,
  ...streamProcessScenarios,
  ...upstreamScenarios,
  ...upstreamPoolScenarios,
  ...upstreamShareScenarios,
  ...jobScenarios,
  ...clockScenarios,
  ...upgradeScenarios,
  ...overloadScenarios,
  ...hostileScenarios,
  ...randomScenarios,
  ...soakScenarios,
];
