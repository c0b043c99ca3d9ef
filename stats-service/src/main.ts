import { ConfigError, readConfig } from '@lontar/shared/config/read-config.ts';
import { watchEventLoop } from '@lontar/shared/event-loop-watchdog.ts';
import { stopOnSignal } from '@lontar/shared/lifecycle.ts';
import { createLogger, openLogOutput } from '@lontar/shared/logger.ts';
import { statsSettings } from './config.ts';
import { startStatsService } from './stats-service.ts';

try {
  const config = readConfig(statsSettings, process.env);
  const logger = createLogger('stats-service', config.LOG_LEVEL, openLogOutput(config.LOG_FILE));
  watchEventLoop('stats-service', logger);
  const service = await startStatsService(config, logger);
  stopOnSignal(service.lifecycle, logger, config.DRAIN_TIMEOUT_MS);
  logger.info({ port: service.port, metricsPort: service.metricsPort }, 'stats-service serves');
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(error instanceof ConfigError ? 2 : 1);
}
