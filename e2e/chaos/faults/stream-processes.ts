import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from '../../harness/service.ts';
import type { Scenario } from '../scenario.ts';
import { NOTHING, type StreamFault, type StreamPlan, streamScenario } from '../streams/cut-streams.ts';
import { isUp } from '../system.ts';

const GATEWAY_KILLED: StreamFault = {
  name: 'gateway killed',
  run: async ({ stack }, random) => {
    const index = Math.floor(random() * stack.gateways.length);
    await stack.gateways[index]?.end('SIGKILL');
    await stack.startGateway({ again: index });
  },
};

const WORKER_KILLED: StreamFault = {
  name: 'worker killed',
  run: async ({ stack }, random) => {
    const up = stack.workers.filter(isUp);
    const victim = up[Math.floor(random() * up.length)] as Service;
    await victim.end('SIGKILL');
    await stack.startWorker();
  },
};

const REDIS_KILLED: StreamFault = {
  name: 'Redis killed',
  run: async ({ stack }, random) => {
    await stack.redis.kill();
    await delay(random() * 1_000);
    await stack.redis.start();
  },
};

const PLANS: readonly StreamPlan[] = [
  {
    name: 'streams-gateway-killed',
    about: 'SIGKILL of gateways with open streams, which their clients go on reading by another one.',
    faults: [GATEWAY_KILLED],
    leaving: 0,
    isWhole: true,
  },
  {
    name: 'streams-worker-killed',
    about: 'SIGKILL of workers in the middle of streams.',
    faults: [WORKER_KILLED],
    leaving: 0,
    isWhole: false,
  },
  {
    name: 'streams-redis-killed',
    about: 'SIGKILL and restart of Redis in the middle of streams.',
    faults: [REDIS_KILLED],
    leaving: 0,
    isWhole: false,
  },
  {
    name: 'streams-cut',
    about: 'Clients leave streams and come back, while gateways, workers and Redis are killed by turns.',
    faults: [NOTHING, WORKER_KILLED, GATEWAY_KILLED, REDIS_KILLED],
    leaving: 0.1,
    isWhole: false,
  },
];

/** Processes that die under streams. */
export const streamProcessScenarios: readonly Scenario[] = PLANS.map(streamScenario);
