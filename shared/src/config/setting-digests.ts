import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { settingNotes, settingsOf } from './read-config.ts';

/** Where a process runs, not how it serves: `npm start`, containers and orchestrators decide these for each. */
const OF_ONE_PROCESS: ReadonlySet<string> = new Set([
  'HOST',
  'PORT',
  'STATS_HOST',
  'STATS_PORT',
  'STATS_URL',
  'METRICS_HOST',
  'METRICS_PORT',
  'METRICS_ADVERTISE',
  'LONTAR_HOME',
  'UPLOAD_DIR',
  'LOG_FILE',
  'LOG_LEVEL',
]);
const DIGEST_CHARS = 6;

/**
 * What a process runs with, in a form that can be compared and gives nothing away: a short digest for each setting that is
 * no secret and not about the one process.
 *
 * @param config what `readConfig` made of the environment
 */
export function settingDigests(schema: z.ZodObject, config: Readonly<Record<string, unknown>>): Record<string, string> {
  const compared = settingsOf(schema).filter(
    ([name, setting]) => !OF_ONE_PROCESS.has(name) && !settingNotes(setting).secret,
  );
  return Object.fromEntries(compared.map(([name]) => [name, digestOf(config[name])]));
}

function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('hex')
    .slice(0, DIGEST_CHARS);
}
