import { ConfigError, readConfig } from '@lontar/shared/config/read-config.ts';
import { watchEventLoop } from '@lontar/shared/event-loop-watchdog.ts';
import { createLifecycle, stopOnSignal } from '@lontar/shared/lifecycle.ts';
import { createLogger, openLogOutput } from '@lontar/shared/logger.ts';
import { gatewaySettings } from './config.ts';
import { startGateway } from './start.ts';

const BAD_CONFIGURATION = 2;

try {
  const config = readConfig(gatewaySettings, process.env);
  const logger = createLogger('gateway', config.LOG_LEVEL, openLogOutput(config.LOG_FILE));
  watchEventLoop('gateway', logger);
  const lifecycle = createLifecycle(logger);
  stopOnSignal(lifecycle, logger, config.DRAIN_TIMEOUT_MS);
  await startGateway(config, logger, lifecycle);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(error instanceof ConfigError ? BAD_CONFIGURATION : 1);
}
