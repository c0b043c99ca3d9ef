import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestRedis, type TestRedis } from '../testing/redis-server.ts';
import { expandScript } from './expand-script.ts';
import { connectFailFast, connectPatient, type Redis } from './redis-connection.ts';
import { loadScript } from './redis-script.ts';

const ROOT = new URL('../../', import.meta.url);
const SOURCES = '{shared,gateway,worker,stats-service,cli}/src';
/** Every script that a service sends: it is named beside its file, in a function that calls it. */
const scripts = distinct(
  globSync(`${SOURCES}/**/*.ts`, { cwd: ROOT })
    .filter((file) => !file.includes('.test.'))
    .flatMap((file) => {
      const folder = new URL(file, ROOT);
      const named = readFileSync(folder, 'utf8').matchAll(/'([\w./-]+\.lua)'/g);
      const files = [...named].map(([, name = '']) => new URL(name, folder));
      return files.filter((script) => existsSync(script) && !isSentWhole(script));
    }),
);

/** Some are called from two places. */
function distinct(files: readonly URL[]): URL[] {
  return [...new Map(files.map((file) => [file.href, file])).values()];
}

/** Each new connection sends it in full, once. */
function isSentWhole({ href }: URL): boolean {
  return href.endsWith('/meet-server.lua');
}

let server: TestRedis;
let connections: Redis[];
beforeAll(async () => {
  server = await startTestRedis();
  connections = [connectFailFast(server.url, 'fast'), connectPatient(server.url, 'patient')];
  for (const redis of connections) redis.on('error', () => undefined);
  await Promise.all(connections.map((redis) => redis.connect()));
});
afterAll(async () => {
  for (const redis of connections) redis.disconnect();
  await server.stop();
});

describe('a server that knows no scripts, as one that has just become the primary', () => {
  test.each(scripts.map((file) => [file.pathname.slice(ROOT.pathname.length), file] as const))(
    'is given %s',
    async (_name, file) => {
      const run = loadScript(file);
      const digest = createHash('sha1').update(expandScript(file)).digest('hex');
      for (const redis of connections) {
        await server.client.script('FLUSH');
        // Many at once, as one turn of the event loop sends them. Without keys most of them fail, but not for being unknown.
        const runs = await Promise.allSettled([1, 2, 3].map(() => run(redis, [], [])));
        for (const end of runs) if (end.status === 'rejected') expect(String(end.reason)).not.toContain('NOSCRIPT');
        expect(await server.client.script('EXISTS', digest)).toEqual([1]);
      }
    },
  );

  test('are all that there are', () => {
    const files = globSync(`${SOURCES}/**/*.lua`, { cwd: ROOT })
      .filter((file) => !/includes\//.test(file))
      .map((file) => new URL(file, ROOT).href);
    const named = new Set(scripts.map(({ href }) => href));
    expect(files.filter((href) => !named.has(href) && !isSentWhole(new URL(href)))).toEqual([]);
  });
});

test('no transaction and no pipeline of ours runs a script by its digest, which would fail as a whole', () => {
  // One runs them, the other takes those that were lost out of what would be sent again.
  const knownPlaces = new Set(['shared/src/redis-script.ts', 'worker/src/patches/behind-waits.ts']);
  const places = globSync(`${SOURCES}/**/*.ts`, { cwd: ROOT })
    .filter((file) => !file.includes('.test.') && !knownPlaces.has(file))
    // Not where it stands in a list of rights.
    .filter((file) => /evalsha\b(?! \w)/i.test(withoutComments(readFileSync(new URL(file, ROOT), 'utf8'))));
  expect(places).toEqual([]);
});

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
