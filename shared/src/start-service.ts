import type { z } from 'zod';
import { ConfigError, type Environment, readConfig } from './config/read-config.ts';
import { watchEventLoop } from './event-loop-watchdog.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { createLogger, type Logger, openLogOutput } from './logger.ts';
import { boundYoungGeneration, collectEverything, collectFrugally } from './patches/young-generation.ts';
import { RedisAwayError } from './redis-away.ts';
import { RedisUnreachableError } from './redis-open.ts';

/** What every service can be set to. */
export interface CommonConfig {
  readonly LOG_LEVEL: string;
  readonly LOG_FILE?: string | undefined;
  readonly DRAIN_TIMEOUT_MS: number;
}

/** What a service is made of. */
export interface Service<Config extends CommonConfig> {
  readonly name: string;
  readonly settings: z.ZodObject & z.ZodType<Config>;
  /** Starts its parts in order and registers each; see `Lifecycle`. */
  start(config: Config, logger: Logger, lifecycle: Lifecycle, environment: Environment): Promise<unknown>;
}

export type OnSignal = (signal: NodeJS.Signals) => void;

const EXIT = { clean: 0, failed: 1, badConfiguration: 2 } as const;

/** The part of `runService` that has something to load. */
export async function startService<Config extends CommonConfig>(
  service: Service<Config>,
  environment: Environment,
  takeSignals: (handler: OnSignal) => void,
): Promise<void> {
  let lifecycle: Lifecycle | undefined;
  try {
    const config = readConfig(service.settings, environment) as Config;
    const logger = createLogger(service.name, config.LOG_LEVEL, openLogOutput(config.LOG_FILE));
    // What loading left behind is a third of a service's memory. Before the watch: on a starved machine it takes seconds.
    collectEverything();
    boundYoungGeneration();
    collectFrugally();
    watchEventLoop(service.name, logger);
    lifecycle = createLifecycle(logger);
    const starting = service.start(config, logger, lifecycle, environment);
    takeSignals(stopAndExit(lifecycle, starting, logger, config.DRAIN_TIMEOUT_MS));
    await starting;
  } catch (error) {
    // What a start meets that is broken off is no failure, and the stop ends the process.
    if (lifecycle?.stopping) return;
    process.stderr.write(`${reasonOf(error)}\n`);
    process.exit(error instanceof ConfigError ? EXIT.badConfiguration : EXIT.failed);
  }
}

function stopAndExit(lifecycle: Lifecycle, starting: Promise<unknown>, logger: Logger, timeoutMs: number): OnSignal {
  return (signal) => {
    if (lifecycle.stopping) return;
    logger.info({ signal }, 'stopping');
    void lifecycle.stop(timeoutMs, starting).then((clean) => {
      logger.info({ clean }, 'stopped');
      process.exit(clean ? EXIT.clean : EXIT.failed);
    });
  };
}

/** What the operator can mend is said in words, such as a port that is taken; the rest is ours, with its stack. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof RedisAwayError) return `Redis went away while the service started: ${error.message}`;
  const isOperators = error instanceof ConfigError || error instanceof RedisUnreachableError || 'code' in error;
  return isOperators ? error.message : (error.stack ?? error.message);
}
