import { readdirSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { createRunbooks, RUNBOOKS_PATH } from './runbooks.ts';

const files = readdirSync(new URL('../../../docs/runbooks/', import.meta.url));
const runbooks = createRunbooks();

describe.each(files.map((file) => file.replace('.md', '')))('the runbook %s', (name) => {
  const text = String(runbooks(name));
  // What stands in code may look like anything.
  const words = text.replaceAll(/<code>[\s\S]*?<\/code>/g, '');

  test('is a page on which nothing is left of Markdown', () => {
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(words.replaceAll(/<[^>]*>/g, '')).not.toMatch(/`|\]\(|\*\*|^\s*(?:#|- )/m);
  });

  test('leads to runbooks that there are', () => {
    const links = [...text.matchAll(/<a href="([^"]*)"/g)].map(([, link = '']) => link);
    const others = links.filter((link) => !['/', RUNBOOKS_PATH].includes(link));
    for (const link of others) expect(runbooks(link.replace(`${RUNBOOKS_PATH}/`, ''))).toBeDefined();
  });
});

test('each says how its commands read without containers', () => {
  for (const name of [undefined, 'no-workers']) {
    expect(String(runbooks(name)).match(/<code>\.\/\.lontar\/lontar<\/code>/g)).toHaveLength(1);
  }
});

test('the table of all leads to each', () => {
  const table = String(runbooks(undefined));
  for (const file of files.filter((other) => other !== 'README.md')) {
    expect(table).toContain(`href="${RUNBOOKS_PATH}/${file.replace('.md', '')}"`);
  }
});

test.each(['', 'no-such', '../README', 'README.md.md', '..', '/etc/passwd', '../../SECURITY'])('%j is none', (name) => {
  expect(runbooks(name)).toBeUndefined();
});

test('a page is made once, also by the name that alerts link to', () => {
  expect(runbooks('no-workers.md')).toBe(runbooks('no-workers'));
});
