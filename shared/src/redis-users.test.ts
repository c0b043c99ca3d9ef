import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { expandScript } from './expand-script.ts';
import { redisKeys } from './redis-keys.ts';
import { REDIS_USERS, type RedisUser, redisRules, redisUserLines } from './redis-users.ts';

const root = new URL('../../', import.meta.url);

/** Who runs what is in which folder. */
const FOLDERS: readonly (readonly [folder: string, users: readonly RedisUser[]])[] = [
  ['gateway/src', ['gateway']],
  ['worker/src', ['worker']],
  ['stats-service/src', ['stats-service']],
  ['shared/src/settlement', ['gateway', 'worker']],
  ['shared/src/live', ['worker']],
  ['shared/src/replication', ['gateway']],
  ['shared/src/queue', ['gateway', 'worker', 'operator']],
  ['shared/src/admin', ['stats-service', 'operator']],
  ['shared/src/*.', ['gateway', 'worker', 'stats-service', 'operator']],
  ['cli/src', ['operator']],
  ['node_modules/bullmq/dist/esm/scripts', ['gateway', 'worker', 'operator']],
];

/** Methods of the client and of pipelines that send no command, or whose command is in their arguments. */
const NO_COMMANDS = words(
  'connect disconnect on once off call callbuffer sendcommand exec pipeline duplicate removelistener removealllisteners status stream',
);
/** Of the groups that connections are given, see CONNECTION there. */
const OF_CONNECTION = words('ping hello auth quit client wait waitaof');

describe.each(FOLDERS)('what %s asks of Redis', (folder, users) => {
  test.each(users)('the user %s may', (user) => {
    const wanted = commandsIn(folder);
    expect(wanted.size).toBeGreaterThan(0);
    const granted = commandsOf(user);
    expect([...wanted].filter((command) => !granted.has(command) && !OF_CONNECTION.has(command))).toEqual([]);
  });
});

test('no user may what ends, empties or reconfigures Redis, or lists what is in it', () => {
  const forbidden = words(
    `flushall flushdb keys config shutdown debug acl module script save bgsave replicaof slaveof migrate monitor sync psync
     swapdb dump sort sort_ro randomkey function fcall latency slowlog cluster failover lolwut object memory`,
  );
  for (const user of REDIS_USERS) {
    const granted = redisRules(user).flatMap((rule) => rule.replace(/^\((.*)\)$/, '$1').split(' '));
    for (const rule of granted.filter((one) => one.startsWith('+'))) {
      expect({ user, rule, isForbidden: forbidden.has(rule.slice(1)) }).toEqual({ user, rule, isForbidden: false });
      // Groups hold what later versions add to them; of these only one that no later version can make dangerous.
      if (rule.startsWith('+@')) expect(rule).toBe('+@connection');
    }
    expect(granted).not.toContain('~*');
  }
});

test('every kind of key has a user', () => {
  const names = Object.values(redisKeys).map((key) => (typeof key === 'string' ? key : key('x', 'y')));
  const patterns = REDIS_USERS.filter((user) => user !== 'operator' && user !== 'probe').flatMap((user) =>
    redisRules(user).filter((rule) => /^(?:%R)?~/.test(rule)),
  );
  const fits = (name: string) => patterns.some((pattern) => toExpression(pattern.replace(/^(?:%R)?~/, '')).test(name));
  // The operator's alone; and channels, which are no keys.
  const others = [redisKeys.cancellations, redisKeys.workerChannel('x'), redisKeys.restoreTrial];
  expect(names.filter((name) => !fits(name)).toSorted()).toEqual(others.toSorted());
});

test('the lines of the configuration close the door for those without a name, and hold no password', () => {
  const passwords = Object.fromEntries(REDIS_USERS.map((user) => [user, `password of ${user}`]));
  const lines = redisUserLines(passwords as Record<RedisUser, string>);
  expect(lines[0]).toBe('user default off resetpass ~* &* +@all');
  expect(lines).toHaveLength(REDIS_USERS.length + 2);
  for (const line of lines.slice(1, -1))
    expect(line).toMatch(/^user [a-z-]+ on #[0-9a-f]{64} resetkeys resetchannels -@all /);
  expect(lines.join('\n')).not.toContain('password of');
});

function commandsOf(user: RedisUser): Set<string> {
  const rules = redisRules(user).filter((rule) => rule.startsWith('+'));
  return new Set(rules.map((rule) => rule.slice(1).split('|')[0] ?? ''));
}

/** The commands that sources call: in Lua by name, those of includes with them; in TypeScript as methods of a connection. */
function commandsIn(folder: string): Set<string> {
  const pattern = folder.endsWith('.') ? `${folder}{ts,lua}` : `${folder}/**/*.{ts,lua,js}`;
  const found = new Set<string>();
  for (const file of globSync(pattern, { cwd: root })) {
    if (/\.(?:test|d)\.ts$/.test(file)) continue;
    const url = new URL(file, root);
    const text = file.endsWith('.lua') ? expandScript(url) : readFileSync(url, 'utf8');
    const inScripts = text.matchAll(/\b(?:r?call)\(\s*['"]([A-Za-z]+)['"]/g);
    const inCode = file.endsWith('.ts') ? text.matchAll(/\bredis(?:\.multi\(\))?\.([A-Za-z]+)\(/g) : [];
    for (const [, name = ''] of [...inScripts, ...inCode]) found.add(name.toLowerCase().replace(/buffer$/, ''));
  }
  for (const name of NO_COMMANDS) found.delete(name);
  return found;
}

function toExpression(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll(/[{}().+?^$|]/g, '\\$&').replaceAll('*', '.*')}$`);
}

function words(text: string): Set<string> {
  return new Set(text.split(/\s+/));
}
