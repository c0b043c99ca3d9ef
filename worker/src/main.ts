import { ConfigError, readConfig } from '@lontar/shared/config/read-config.ts';
import { createLifecycle, stopOnSignal } from '@lontar/shared/lifecycle.ts';
import { createLogger } from '@lontar/shared/logger.ts';
import { workerSettings } from './config.ts';
import { startWorker } from './start.ts';

const BAD_CONFIGURATION = 2;

try {
  const config = readConfig(workerSettings, process.env);
  const logger = createLogger('worker', config.LOG_LEVEL);
  const lifecycle = createLifecycle(logger);
  stopOnSignal(lifecycle, logger, config.DRAIN_TIMEOUT_MS);
  await startWorker(config, logger, lifecycle);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(error instanceof ConfigError ? BAD_CONFIGURATION : 1);
}
