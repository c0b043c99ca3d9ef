import { gatewaySettings } from '@lontar/gateway/config.ts';
import { readConfig } from '@lontar/shared/config/read-config.ts';
import { redisSettings } from '@lontar/shared/config/settings.ts';
import type { RedisSettings } from '@lontar/shared/redis-connection.ts';
import { z } from 'zod';
import { CommandFailure, EXIT } from '../failure/failure.ts';
import { readEndpoint } from '../home/endpoint.ts';
import { readSecret } from '../home/secrets.ts';
import type { Surroundings } from '../settings/environment.ts';

const whereRedisIs = z.object(redisSettings);
const pepperSettings = z.object({ KEY_PEPPER: gatewaySettings.shape.KEY_PEPPER });

export interface LocatedRedis {
  readonly target: RedisSettings;
  readonly from: 'REDIS_URL' | 'npm start';
}

/**
 * The Redis of the service: the one that `REDIS_URL` names, else the one that `npm start` runs.
 *
 * @throws CommandFailure when there is neither
 */
export function locateRedis({ environment, home }: Surroundings): LocatedRedis {
  if (environment['REDIS_URL'] !== undefined || environment['REDIS_URL_FILE']) {
    return { target: readConfig(whereRedisIs, environment), from: 'REDIS_URL' };
  }
  const running = readEndpoint(home);
  if (running) {
    // Whatever `npm start` was told to use is in the same settings, with the files of TLS.
    return { target: readConfig(whereRedisIs, { ...environment, REDIS_URL: running.redisUrl }), from: 'npm start' };
  }
  throw new CommandFailure(
    EXIT.redisUnreachable,
    `No running service was found in ${home.folder}. Start it with "npm start", or name its Redis in REDIS_URL.`,
  );
}

/** The secret that keys are hashed under, and where it came from; `undefined` where there is none. */
export function findPepper({
  environment,
  home,
}: Surroundings): { pepper: string; from: 'environment' | 'home' } | undefined {
  if (environment['KEY_PEPPER'] || environment['KEY_PEPPER_FILE']) {
    return { pepper: readConfig(pepperSettings, environment).KEY_PEPPER, from: 'environment' };
  }
  const pepper = readSecret(home, 'KEY_PEPPER');
  return pepper === undefined ? undefined : { pepper, from: 'home' };
}

/** @throws CommandFailure where there is no pepper: a key hashed under another one would never be accepted */
export function requirePepper(surroundings: Surroundings): string {
  const found = findPepper(surroundings);
  if (found) return found.pepper;
  throw new CommandFailure(
    EXIT.usage,
    `KEY_PEPPER is not known: set KEY_PEPPER (or KEY_PEPPER_FILE) to what the gateway has, or LONTAR_HOME to the folder of "npm start"; there is none in ${surroundings.home.folder}.`,
  );
}
