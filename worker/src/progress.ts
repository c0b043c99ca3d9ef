import type { Instance } from '@lontar/shared/instances.ts';
import type { WorkerMetrics } from '@lontar/shared/metrics.ts';
import type { RedisClock } from '@lontar/shared/redis-clock.ts';

/** What a worker has done lately, for its heartbeat and its metrics. */
export interface Progress {
  jobStarted(): void;
  jobFinished(): void;
  noteModelOutcome(ok: boolean, provider: string): void;
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
    noteModelOutcome(ok, answered) {
      model = { provider: answered, lastOutcome: ok ? 'ok' : 'failed', at: clock.now() };
    },
    describe: () => ({ lastProgressAt, model }),
  };
}
