import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { failoverLines, sentinelUserLines } from '@lontar/shared/redis-failover-users.ts';
import { REDIS_USERS, type RedisUser, redisUserLines } from '@lontar/shared/redis-users.ts';

/**
 * `deploy/redis/users.conf`: the users of Redis for what makes its secrets by a shell, with a mark such as `@gateway@`
 * where the digest of a password comes.
 */
export function redisUsersTemplate(): string {
  const marks = Object.fromEntries(REDIS_USERS.map((user) => [user, user])) as Record<RedisUser, string>;
  const lines = redisUserLines(marks).map((line) =>
    line.replace(/^user ([a-z-]+) on #[0-9a-f]{64} /, 'user $1 on #@$1@ '),
  );
  return `${lines.join('\n')}\n`;
}

const FAILOVER_MARKS = { replica: 'replica', sentinel: 'sentinel', client: 'client' };

/**
 * `deploy/redis/failover.conf` and `sentinel-users.conf`: what several Redis and their Sentinels have besides, with a mark such
 * as `@replica@` where the digest of a password comes, and `@@replica@@` for the password itself.
 */
export function failoverTemplates(): { readonly redis: string; readonly sentinels: string } {
  const template = (lines: readonly string[]) =>
    Object.values(FAILOVER_MARKS).reduce(
      (text, mark) => text.replaceAll(createHash('sha256').update(mark).digest('hex'), `@${mark}@`),
      `${lines.join('\n')}\n`.replace('masterauth replica', 'masterauth @@replica@@'),
    );
  return { redis: template(failoverLines(FAILOVER_MARKS)), sentinels: template(sentinelUserLines(FAILOVER_MARKS)) };
}

/** `deploy/kubernetes-ha/scripts.yaml`: what each Redis and each Sentinel runs, as in the containers of docker-compose.yml. */
export function scriptsManifest(): string {
  const scripts = ['redis-node.sh', 'redis-sentinel.sh'].map((name) => {
    const text = readFileSync(new URL(`../secrets/${name}`, import.meta.url), 'utf8').trimEnd();
    return `  ${name}: |\n${text.replaceAll(/^(?=.)/gm, '    ')}\n`;
  });
  return `# The scripts of cli/src/secrets, written by \`npm run docs\`: what each Redis and each Sentinel runs.
apiVersion: v1
kind: ConfigMap
metadata:
  name: redis-scripts
data:
${scripts.join('')}`;
}
