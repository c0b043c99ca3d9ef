import { readAuditEntry } from '@lontar/shared/admin/audit.ts';
import type { Logger } from '@lontar/shared/logger.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { loadScript } from '@lontar/shared/redis-script.ts';

const EVERY_MS = 2_000;
const AT_ONCE = 100;

const takeScript = loadScript(new URL('./take-audit-lines.lua', import.meta.url));

/**
 * Writes a line for each entry of the audit log, those of the operator's command among them, in the log of one instance
 * of stats-service. What was and what is stands in the audit log alone. Never throws: where Redis fails, lines come later.
 */
export function startAuditLines(redis: Redis, logger: Logger): { stop(): void } {
  let isRunning = false;
  const run = async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      await logNew(redis, logger);
    } catch (error) {
      logger.debug({ err: error }, 'audit lines');
    }
    isRunning = false;
  };
  void run();
  const timer = setInterval(() => void run(), EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

/**
 * Logs what no instance has logged yet, up to a bound.
 *
 * @throws when Redis fails; of entries that were taken when it failed there are no lines
 */
async function logNew(redis: Redis, logger: Logger): Promise<void> {
  const taken = await takeScript(redis, [redisKeys.audit, redisKeys.auditLogged], [AT_ONCE]);
  for (const [id, fields] of taken as [string, string[]][]) {
    const entry = readAuditEntry(id, fields);
    if (entry === undefined) continue;
    const { actor, action, target, outcome, at } = entry;
    const line = { audit: id, at, by: actor.by, who: actor.id, from: actor.from, action, target };
    if (outcome === 'refused') logger.warn(line, 'an operator was refused a change');
    else logger.info(line, outcome === 'begun' ? 'an operator begins a change' : 'an operator changed something');
  }
}
