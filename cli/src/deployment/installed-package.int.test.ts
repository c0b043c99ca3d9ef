import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const SOURCE = new URL('../../installed-package.mjs', import.meta.url);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lontar-app-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Sources as they are in a package, with other folders beside them. */
function sourcesAt(root: string, ...beside: readonly string[]): string {
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(join(root, 'dist', 'lockfile.json'), '{}');
  for (const name of beside) mkdirSync(join(dirname(root), name));
  return root;
}

function takeOver(root: string): boolean {
  const home = dirname(dirname(root));
  const script = [
    `const { isPlacedApp, takeOver } = await import(${JSON.stringify(SOURCE.href)});`,
    `takeOver(${JSON.stringify({ root, folder, home })});`,
    `process.stdout.write(String(isPlacedApp(${JSON.stringify(root)})));`,
  ].join('\n');
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }) === 'true';
}

test('an installed version removes the earlier ones and their drafts, and nothing that it did not make', () => {
  const drafts = ['0.0.8-0123abcd.0123456789abcdef.partial', '0.0.9-0123abcd'];
  const root = sourcesAt(join(folder, '.lontar', 'app', '0.1.0-89abcdef'), ...drafts, 'photos', '0.0.9', '.git');
  expect(takeOver(root)).toBe(true);
  expect(readdirSync(dirname(root)).toSorted()).toEqual(['.git', '0.0.9', '0.1.0-89abcdef', 'photos']);
  expect(existsSync(join(folder, '.lontar', 'lontar'))).toBe(true);
});

test.each(['lontar', 'app', '0.1.0-89abcdef'])('what is beside a clone named %s stays, whatever is set', (name) => {
  const root = sourcesAt(join(folder, 'projects', name), 'other-project', '0.0.9-0123abcd');
  expect(takeOver(root)).toBe(false);
  expect(readdirSync(dirname(root)).toSorted()).toEqual(['0.0.9-0123abcd', name, 'other-project'].toSorted());
});
