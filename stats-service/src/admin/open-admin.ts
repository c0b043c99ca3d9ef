import type { Route } from '@lontar/shared/http/app.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import type { AdminOutcome } from '@lontar/shared/stats-metrics.ts';
import type { Asked } from '../asked.ts';
import type { StatsConfig } from '../config.ts';
import type { AdminDeps } from './admin-call.ts';
import { createAdminRoutes } from './admin-routes.ts';
import { BAD_TOKENS_ALLOWED } from './identify-operator.ts';

/**
 * The routes of the admin API; none where it is off, or cannot hash tokens.
 *
 * @param report called with what came of each request
 */
export function openAdmin(
  config: Pick<StatsConfig, 'ADMIN_API' | 'KEY_PEPPER'>,
  deps: Omit<AdminDeps, 'pepper' | 'onBan'>,
  logger: Logger,
  report: (outcome: AdminOutcome) => void,
): readonly Route<Asked>[] {
  if (config.ADMIN_API === 'off') return [];
  const { KEY_PEPPER: pepper } = config;
  if (pepper === undefined) {
    logger.warn('there is no admin API: give stats-service the KEY_PEPPER of the gateway, or set ADMIN_API=off');
    return [];
  }
  const onBan = (address: string) =>
    logger.warn({ address, count: BAD_TOKENS_ALLOWED }, 'an address is banned from the admin API for bad tokens');
  return createAdminRoutes({ ...deps, pepper, onBan }, report);
}
