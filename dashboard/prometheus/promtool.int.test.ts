import { execFileSync, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const folder = fileURLToPath(new URL('./', import.meta.url));
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const promtool = (...args: string[]) =>
  execFileSync('promtool', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

(hasPromtool ? describe : describe.skip)('promtool', () => {
  test('takes the configuration', () => {
    expect(promtool('check', 'config', 'prometheus.yml')).toContain('2 rule files found');
  });

  test('takes the rules', () => {
    expect(
      promtool('check', 'rules', '--lint=all', '--lint-fatal', ...globSync('rules/*.yml', { cwd: folder })),
    ).not.toBe('');
  });

  test('sees every alert fire when it must and stay silent when it must', () => {
    expect(promtool('test', 'rules', ...globSync('tests/*.test.yml', { cwd: folder }))).not.toContain('FAILED');
  }, 180_000);
});
