import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Workflow {
  readonly permissions?: Record<string, string>;
  readonly jobs: Record<string, { readonly 'timeout-minutes'?: number; readonly steps: readonly Step[] }>;
}

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const files = globSync('.github/workflows/*.yml', { cwd: root });

test('there are workflows for tests, the image and releases', () => {
  const names = new Set(files.map((file) => basename(file)));
  expect(names).toEqual(new Set(['image.yml', 'release.yml', 'test.yml']));
});

describe.each(files)('%s', (file) => {
  const text = read(file);
  const workflow = parse(text) as Workflow;
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  test('takes actions by commit, with the version beside it', () => {
    const uses = text.split('\n').filter((line) => /\buses:/.test(line));
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) expect(line).toMatch(/uses: [\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('reads the sources and nothing more, unless a job says so, and ends', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes']).toBeLessThanOrEqual(45);
  });

  test('puts nothing that a stranger writes into a shell', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });

  test('runs scripts that are there', () => {
    const scripts = steps.flatMap(({ run = '' }) => [...run.matchAll(/bash (\S+)/g)].map(([, path = '']) => path));
    expect(scripts.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  });
});

test('forms for issues and settings for updates are of the form that they must have', () => {
  for (const file of globSync('.github/ISSUE_TEMPLATE/{bug,idea}.yml', { cwd: root })) {
    const form = parse(read(file)) as { name: string; description: string; body: { type: string; id?: string }[] };
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    for (const { type, id } of form.body) expect(type === 'markdown' || id !== undefined).toBe(true);
  }
  const { version, updates } = parse(read('.github/dependabot.yml')) as {
    version: number;
    updates: { 'package-ecosystem': string }[];
  };
  expect(version).toBe(2);
  expect(updates.map((update) => update['package-ecosystem'])).toEqual(
    expect.arrayContaining(['npm', 'github-actions', 'docker']),
  );
});
