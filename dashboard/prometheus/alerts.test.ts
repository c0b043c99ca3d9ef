import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook: string;
    readonly runbook_url: string;
  };
}
interface RuleTest {
  readonly name: string;
}

const root = new URL('../../', import.meta.url);
const here = new URL('./', import.meta.url);
const read = (path: string): unknown => parse(readFileSync(new URL(path, here), 'utf8'));

const { groups } = read('rules/alerts.yml') as { groups: { rules: AlertRule[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const tests = globSync('tests/*.test.yml', { cwd: here })
  .flatMap((file) => (read(file) as { tests: RuleTest[] }).tests)
  .map(({ name }) => name);

describe.each(alerts.map((rule) => [rule.alert, rule] as const))('the alert %s', (name, rule) => {
  test('says how urgent it is, what is wrong, and what to do', () => {
    expect(rule.labels.severity).toMatch(/^(?:page|ticket|none)$/);
    expect(rule.annotations.summary).not.toBe('');
    expect(rule.annotations.description).not.toBe('');
    expect(existsSync(new URL(rule.annotations.runbook, root))).toBe(true);
    // Copied from the line above it, under the address that RUNBOOKS_URL says.
    const page = rule.annotations.runbook.replace('docs/runbooks/', '');
    expect(rule.annotations.runbook_url).toBe(`{{ $externalLabels.runbooks }}/${page}`);
    expect(readFileSync(new URL(rule.annotations.runbook, root), 'utf8')).toMatch(`# ${name}\n`);
    expect(readFileSync(new URL('docs/runbooks/README.md', root), 'utf8')).toContain(
      `| [${name}](${rule.annotations.runbook.replace('docs/runbooks/', '')}) | ${rule.labels.severity} |`,
    );
  });

  test('is shown firing and silent', () => {
    expect(tests.some((title) => title.startsWith(`${name} fires: `))).toBe(true);
    // The watchdog is never silent.
    if (name !== 'Watchdog') expect(tests.some((title) => title.startsWith(`${name} is silent: `))).toBe(true);
  });
});
