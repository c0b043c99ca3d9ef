import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGES = ['shared', 'gateway', 'worker', 'stats-service', 'cli'];
/** What may make connections, and those that name ioredis for another reason. */
const MAKERS = ['shared/src/redis-connection.ts', 'shared/src/primary/ask-node.ts'];
const OTHERS = ['redis-away.ts', 'redis-script.ts', 'patches/primary-connector.ts', 'patches/young-commands.ts'].map(
  (file) => `shared/src/${file}`,
);
const OF_IOREDIS = /^import (?!type\b)(?!\{ type \w+ \})[^;]*from 'ioredis'/m;

const sources = PACKAGES.flatMap((name) =>
  readdirSync(join(ROOT, name, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => join(ROOT, name, 'src', file)),
);
const filesWith = (pattern: RegExp) =>
  sources.filter((file) => pattern.test(readFileSync(file, 'utf8'))).map((file) => relative(ROOT, file));

test('every connection of every service is made in one place: only there it gets its times, patches and address', () => {
  expect(sources.length).toBeGreaterThan(300);
  expect(filesWith(OF_IOREDIS).toSorted()).toEqual([...MAKERS, ...OTHERS].toSorted());
  expect(filesWith(/\.duplicate\(/)).toEqual(['shared/src/redis-connection.ts']);
  // BullMQ makes one of its own where it is not given one.
  const bullMq = filesWith(/^import (?!type\b)[^;]*from 'bullmq'/m);
  expect(bullMq).toEqual(['worker/src/job-runner.ts']);
  for (const file of bullMq) expect(readFileSync(join(ROOT, file), 'utf8')).toMatch(/\bconnection: redis,/);
});
