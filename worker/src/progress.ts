import type { FailureCause } from '@lontar/shared/failure-cause.ts';
import type { Instance } from '@lontar/shared/instances.ts';
import type { WorkerMetrics } from '@lontar/shared/metrics.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';

/** What a worker has done lately, for its heartbeat and its metrics. */
export interface Progress {
  jobStarted(): void;
  jobFinished(): void;
  /** @param failure why the last call failed; undefined where the model is well */
  noteModelOutcome(failure: FailureCause | undefined, provider: string): void;
  describe(): Pick<Instance, 'lastProgressAt' | 'model'>;
}

/** @param provider who will answer first */
export function createProgress(metrics: WorkerMetrics, provider: string, clock: RedisClock): Progress {
  let lastProgressAt = clock.now();
  let model: NonNullable<Instance['model']> = { provider, lastOutcome: 'none', at: lastProgressAt };
  const note = () => {
    lastProgressAt = clock.now();
    metrics.lastProgress.set(lastProgressAt / 1000);
  };
  note();
  return {
    jobStarted() {
      note();
      metrics.activeJobs.inc();
    },
    jobFinished() {
      note();
      metrics.activeJobs.dec();
    },
    noteModelOutcome(failure, answered) {
      const at = clock.now();
      if (failure === undefined) {
        model = { provider: answered, lastOutcome: 'ok', at };
        return;
      }
      const { since = at, times = 0 } = model.failure ?? {};
      model = { provider: answered, lastOutcome: 'failed', at, failure: { ...failure, since, times: times + 1 } };
    },
    describe: () => ({ lastProgressAt, model }),
  };
}
