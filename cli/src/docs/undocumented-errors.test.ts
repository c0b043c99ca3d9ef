import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { undocumentedErrors } from './undocumented-errors.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDERS = ['cli', 'dashboard', 'e2e', 'gateway', 'shared', 'stats-service', 'worker'];

const found = (source: string) => undocumentedErrors('a.ts', source).undocumented;
const THROWS = "{ throw new Error('no'); }";

describe('a function that can fail and does not say so', () => {
  test.each([
    ['throws', `export function act() ${THROWS}`, 'throws'],
    ['throws, an arrow', `export const act = () => ${THROWS};`, 'throws'],
    ['throws again what it caught', 'export function act() { try { go(); } catch (error) { throw error; } }', 'throws'],
    ['throws in a try without catch', `export function act() { try ${THROWS} finally { end(); } }`, 'throws'],
    ['throws under a comment that is no docstring', `// @throws Error\nexport function act() ${THROWS}`, 'throws'],
    [
      'throws under a docstring of something else',
      `/** @throws Error */\nlet a;\nexport function act() ${THROWS}`,
      'throws',
    ],
    ['sends a command', "export async function act(redis) { await redis.get('a'); }", 'redis'],
    ['gives the promise of a command', "export function act(redis): Promise<void> { return redis.get('a'); }", 'redis'],
    ['hands its client on', 'export async function act(deps) { await settle(deps.redis); }', 'redis'],
    [
      'gives functions that do',
      'export function open({ redis }) { return { async act() { await redis.time(); } }; }',
      'redis',
    ],
  ])('is found: one that %s', (_what, source, why) => {
    expect(found(source)).toEqual([{ where: expect.stringMatching(/^a\.ts:\d+ (?:act|open)$/), why }]);
  });

  test.each([
    ['says what it throws', `/** @throws Error */\nexport function act() ${THROWS}`],
    [
      'says that it does not',
      '/** Never\n * rejects: it is repeated. */\nexport async function act(redis) { await redis.get(); }',
    ],
    ['is not exported', `function act() ${THROWS}`],
    ['catches what it throws', `export function act() { try ${THROWS} catch { end(); } }`],
    ['gives a function that throws', `export function act() { return () => ${THROWS}; }`],
    ['only passes Redis on at once', 'export function act(redis) { return { redis }; }'],
  ])('is not one that %s', (_what, source) => {
    expect(found(source)).toEqual([]);
  });

  test('is nowhere in the product and its tests', () => {
    const files = globSync(
      FOLDERS.map((folder) => `${folder}/**/*.{ts,tsx}`),
      { cwd: ROOT, exclude: (name) => /(?:^|\/)(?:node_modules|dist)$|\.test\.tsx?$/.test(name) },
    );
    const all = files.map((file) => undocumentedErrors(file, readFileSync(`${ROOT}/${file}`, 'utf8')));
    expect(all.flatMap(({ undocumented }) => undocumented)).toEqual([]);
    // What finds nothing at all has not looked.
    const failing = (why: 'throws' | 'redis') => all.reduce((sum, file) => sum + file.failing[why], 0);
    expect(failing('throws')).toBeGreaterThan(20);
    expect(failing('redis')).toBeGreaterThan(70);
  });
});
