import { settingNotes, settingsOf } from '@lontar/shared/config/read-config.ts';
import type { z } from 'zod';
import { SERVICE_SECRETS } from '../home/home.ts';
import { readSecret } from '../home/secrets.ts';
import type { Surroundings } from './environment.ts';
import { launcherSettings } from './launcher-settings.ts';
import { SERVICE_SETTINGS } from './services.ts';

/** Where a value comes from. */
export type SettingSource = 'environment' | '.env' | 'home' | 'default' | 'unset';

export interface DescribedSetting {
  readonly value: string | null;
  readonly source: SettingSource;
}

const REDACTED = '(secret, not shown)';

/** All settings as the programs would read them now, by program; secrets are not shown. */
export function describeSettings(surroundings: Surroundings): Record<string, Record<string, DescribedSetting>> {
  const schemas = { 'npm start': launcherSettings, ...SERVICE_SETTINGS };
  return Object.fromEntries(
    Object.entries(schemas).map(([program, schema]) => [program, describeSchema(schema, surroundings)]),
  );
}

/** A setting's default as it would be written in an environment, or `undefined` where it has none. */
export function defaultOf(setting: z.ZodType): string | undefined {
  const parsed = setting.safeParse(undefined);
  if (!parsed.success || parsed.data === undefined) return undefined;
  const { data } = parsed;
  if (Array.isArray(data)) return data.join(',');
  return typeof data === 'string' ? data : JSON.stringify(data);
}

function describeSchema(schema: z.ZodObject, surroundings: Surroundings): Record<string, DescribedSetting> {
  return Object.fromEntries(settingsOf(schema).map(([name, setting]) => [name, describe(name, setting, surroundings)]));
}

function describe(
  name: string,
  setting: z.ZodType,
  { environment, fromFile, found, home }: Surroundings,
): DescribedSetting {
  const { secret } = settingNotes(setting);
  const given = [name, ...(secret ? [`${name}_FILE`] : [])].find((candidate) => environment[candidate]);
  if (given !== undefined) {
    const shown = secret && given === name ? REDACTED : `${given === name ? '' : 'file '}${environment[given] ?? ''}`;
    if (found?.has(given)) return { value: shown, source: 'default' };
    return { value: shown, source: fromFile.has(given) ? '.env' : 'environment' };
  }
  const own = SERVICE_SECRETS.find((candidate) => candidate === name);
  if (own !== undefined && readSecret(home, own) !== undefined) {
    return { value: REDACTED, source: 'home' };
  }
  const byDefault = defaultOf(setting);
  return byDefault === undefined ? { value: null, source: 'unset' } : { value: byDefault, source: 'default' };
}
