import type { Actor } from '../keys/actor.ts';
import { queueKeys } from '../queue/queue-keys.ts';
import type { Redis } from '../redis-connection.ts';
import { redisKeys } from '../redis-keys.ts';
import { loadScript } from '../redis-script.ts';
import { auditHead } from './audit.ts';

const holdScript = loadScript(new URL('./hold-queue.lua', import.meta.url));

/**
 * Holds the queue of generation jobs, so that no worker starts one, or lets it go on. Twice changes nothing.
 *
 * @throws when Redis fails; whether the queue is held is then unknown
 */
export async function holdQueue(redis: Redis, what: 'pause' | 'resume', actor: Actor): Promise<void> {
  const keys = [queueKeys.marker, queueKeys.meta, redisKeys.audit];
  await holdScript(redis, keys, [what, auditHead(actor, `queue.${what}`, '')]);
}
