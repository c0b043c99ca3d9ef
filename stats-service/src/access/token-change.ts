import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { operatorKeys } from '@lontar/shared/operator-sessions.ts';
import { sameSecret } from '@lontar/shared/same-secret.ts';
import { statsKeys } from '../stats-keys.ts';
import type { SessionDeps } from './operator-session.ts';

const derive = promisify(scrypt) as (secret: string, salt: string, bytes: number) => Promise<Buffer>;

/**
 * Forgets the sessions and sign-in links of another `DASHBOARD_TOKEN` than now. Their cookies are good no more anyway;
 * lists of sessions must not show them. What is kept of the token to notice a change is salted and slow to try out.
 *
 * @throws when Redis fails; safe to repeat
 */
export async function forgetOtherTokens({ redis, token }: SessionDeps): Promise<void> {
  const [salt = '', known = ''] = ((await redis.get(statsKeys.sessionToken)) ?? '').split(' ');
  if (salt !== '' && sameSecret(await derivedFrom(token, salt), known)) return;
  const newSalt = randomBytes(16).toString('base64url');
  const derived = await derivedFrom(token, newSalt);
  await redis
    .multi()
    .del(operatorKeys.sessions, operatorKeys.signInCodes)
    .set(statsKeys.sessionToken, `${newSalt} ${derived}`)
    .exec();
}

async function derivedFrom(token: string, salt: string): Promise<string> {
  return (await derive(token, salt, 32)).toString('base64url');
}
