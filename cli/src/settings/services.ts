import { gatewaySettings } from '@lontar/gateway/config.ts';
import { type Environment, settingNotes, settingsOf } from '@lontar/shared/config/read-config.ts';
import { statsSettings } from '@lontar/stats-service/config.ts';
import { workerSettings } from '@lontar/worker/config.ts';
import { z } from 'zod';
import { launcherSettings } from './launcher-settings.ts';
import { variablesOf } from './models-file.ts';

/** The settings of each service, in the order in which the docs list them. */
export const SERVICE_SETTINGS = {
  gateway: gatewaySettings,
  worker: workerSettings,
  'stats-service': statsSettings,
} as const;

export type ServiceName = keyof typeof SERVICE_SETTINGS;

/** All settings of all services, and those of `npm start` itself. */
export const everySetting = z.object({
  ...workerSettings.shape,
  ...statsSettings.shape,
  ...gatewaySettings.shape,
  ...launcherSettings.shape,
});

/** What a process needs besides its settings: to find programs and files, and the way out of the network. */
const SYSTEM_NAMES = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TZ',
  'LANG',
  'LC_ALL',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_ENV_PROXY',
  'NODE_COMPILE_CACHE',
  'NODE_USE_SYSTEM_CA',
  'MALLOC_ARENA_MAX',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
] as const;

/** The part of an environment that every program may have. */
export function systemEnvironment(environment: Environment): Record<string, string> {
  return pick(environment, SYSTEM_NAMES);
}

/**
 * The environment of one service: its own settings and nothing that belongs to another one, least of all secrets. The
 * worker has besides what the file of models names.
 *
 * @param own what the launcher decides: it wins, and takes the place of a `…_FILE`
 */
export function serviceEnvironment(
  service: ServiceName,
  environment: Environment,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const settings = settingsOf(SERVICE_SETTINGS[service]);
  const names = settings.flatMap(([name, setting]) => {
    if (name in own) return [];
    return settingNotes(setting).secret ? [name, `${name}_FILE`] : [name];
  });
  if (service === 'worker') names.push(...variablesOf(environment['MODELS_FILE']).filter(isNoSetting));
  const wanted = Object.fromEntries(Object.entries(own).filter(([name]) => settings.some(([known]) => known === name)));
  return { ...systemEnvironment(environment), ...pick(environment, names), ...wanted };
}

/** A file of models hands no secret of another service to the worker. */
function isNoSetting(name: string): boolean {
  return !Object.values(SERVICE_SETTINGS).some((schema) => name.replace(/_FILE$/, '') in schema.shape);
}

function pick(environment: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
