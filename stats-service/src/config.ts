import {
  metricsPort,
  redisSettings,
  setting,
  sharedSettings,
  trueOrFalse,
  wholeNumber,
} from '@lontar/shared/config/settings.ts';
import { z } from 'zod';

/** The settings of stats-service. */
export const statsSettings = z.object({
  ...redisSettings,
  STATS_PORT: setting(wholeNumber(0, 65_535).prefault('8090'), {
    about: 'The port at which the gateway reaches stats-service; never public.',
    example: '8090',
  }),
  STATS_HOST: setting(z.string().default('127.0.0.1'), {
    about: 'The address that stats-service listens on.',
    example: '127.0.0.1',
  }),
  INNER_SECRET: sharedSettings.INNER_SECRET,
  METRICS_PORT: metricsPort(9466),
  METRICS_HOST: sharedSettings.METRICS_HOST,
  METRICS_ADVERTISE: sharedSettings.METRICS_ADVERTISE,
  DASHBOARD_TOKEN: setting(z.string().min(16, 'must have at least 16 characters'), {
    about: 'The secret that signs the operator in to the dashboard.',
    example: 'the output of: openssl rand -base64 24',
    secret: true,
  }),
  DASHBOARD_PUBLIC: setting(trueOrFalse().prefault('false'), {
    about:
      'Whether the counters on the dashboard (never the log) are shown without a sign-in. /api/usage and /api/stats show them, too; UTILITY_ENDPOINTS of the gateway decides to whom.',
    example: 'false',
  }),
  ADMIN_API: sharedSettings.ADMIN_API,
  KEY_PEPPER: setting(z.string().min(32, 'must have at least 32 characters').optional(), {
    about:
      'The secret with which API keys and admin tokens are hashed; the same for gateway and stats-service. Without it stats-service has no admin API.',
    example: 'the output of: openssl rand -base64 32',
    secret: true,
  }),
  RUNBOOKS_URL: setting(z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).optional(), {
    about:
      'The URL of your own copy of docs/runbooks. Links on the dashboard (in containers also those in alerts) then lead to NAME.md there. If not set, they lead to /docs/runbooks of the gateway.',
    example: 'https://git.example.com/lontar/docs/runbooks',
  }),
  UPLOADS_PER_DAY: sharedSettings.UPLOADS_PER_DAY,
  REQUEST_TIMEOUT_MS: sharedSettings.REQUEST_TIMEOUT_MS,
  DRAIN_TIMEOUT_MS: sharedSettings.DRAIN_TIMEOUT_MS,
  LOG_LEVEL: sharedSettings.LOG_LEVEL,
  LOG_FILE: sharedSettings.LOG_FILE,
  LOG_CONTENT: sharedSettings.LOG_CONTENT,
});

export type StatsConfig = z.infer<typeof statsSettings>;
