import type { ProcessSpec } from '../processes/running-child.ts';
import { type SupervisedProcess, type SuperviseOptions, supervise } from './supervise.ts';

/**
 * In the order of starting; stopping goes the other way, so that every process finds what it needs until it is done.
 */
const STAGES = ['redis', 'stats-service', 'worker', 'gateway'] as const;
export type Stage = (typeof STAGES)[number];

/** All processes of one start. */
export interface Fleet {
  run(stage: Stage, spec: ProcessSpec, options: SuperviseOptions): SupervisedProcess;
  /** Stops everything in reverse order, each stage at once. */
  stop(graceMs: number): Promise<void>;
  /** Ends everything at once; Redis still writes its file. */
  kill(): void;
}

export function createFleet(): Fleet {
  const running: { stage: Stage; process: SupervisedProcess }[] = [];
  const of = (stage: Stage) => running.filter((entry) => entry.stage === stage).map(({ process }) => process);
  let stopping = false;
  return {
    run(stage, spec, options) {
      if (stopping) throw new Error('Lontar is stopping; nothing more is started.');
      const process = supervise(spec, options);
      running.push({ stage, process });
      return process;
    },
    async stop(graceMs) {
      stopping = true;
      for (const stage of STAGES.toReversed()) await Promise.all(of(stage).map((process) => process.stop(graceMs)));
    },
    kill() {
      stopping = true;
      // Redis ends by itself right after the others: the orderly stop, which waits for them, asks it to.
      for (const stage of STAGES) if (stage !== 'redis') for (const process of of(stage)) process.kill();
    },
  };
}
