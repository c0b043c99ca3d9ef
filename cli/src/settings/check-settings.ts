import { ConfigError, type Environment, readConfig } from '@lontar/shared/config/read-config.ts';
import { problemsOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { readRedisAddress } from '@lontar/shared/primary/redis-address.ts';
import { readRedisTls } from '@lontar/shared/primary/redis-tls.ts';
import type { z } from 'zod';
import { everySetting } from './services.ts';

/** What `npm start` provides where the operator does not; any valid value serves for checking the rest. */
const PROVIDED = {
  REDIS_URL: 'redis://127.0.0.1:6379',
  KEY_PEPPER: 'a stand-in of at least 32 characters',
  DASHBOARD_TOKEN: 'a stand-in of at least 16 characters',
  INNER_SECRET: 'a stand-in of at least 32 characters',
} as const;

export type EverySetting = z.infer<typeof everySetting>;

/**
 * Checks all that the services will read, before anything is started.
 *
 * @returns the settings; those that the operator did not give and `npm start` provides hold stand-ins
 * @throws ConfigError with every problem of every service at once
 */
export function checkSettings(environment: Environment): EverySetting {
  const problems: string[] = [];
  if (environment['REDIS_URL'] === '' && !environment['REDIS_URL_FILE']) {
    problems.push(
      'REDIS_URL is empty: remove it to let npm start bring its own Redis, or give an address. Example: REDIS_URL=redis://127.0.0.1:6379',
    );
  }
  const complete: Record<string, string | undefined> = { ...environment };
  for (const [name, standIn] of Object.entries(PROVIDED)) {
    if (!isGiven(environment, name)) complete[name] = standIn;
  }
  try {
    const config = readConfig(everySetting, complete);
    if (!config.MODELS_FILE) problems.push(...problemsOfVariables(config));
    problems.push(...wrongForTls(config));
    if (problems.length === 0) return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
  }
  throw new ConfigError(problems);
}

/** Whether the operator gave a setting, itself or as a file. */
export function isGiven(environment: Environment, name: string): boolean {
  return Boolean(environment[name]) || Boolean(environment[`${name}_FILE`]);
}

/** What the services would refuse at their start. */
function wrongForTls(config: EverySetting): readonly string[] {
  try {
    readRedisTls(config, readRedisAddress(config.REDIS_URL).tls);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
