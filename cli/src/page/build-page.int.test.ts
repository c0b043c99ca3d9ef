import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { buildPage } from './build-page.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('the page is built once, and again only when its sources change', async () => {
  expect(await buildPage(root)).toBeUndefined();
  const built = () => statSync(`${root}dashboard/dist/index.html`).mtimeMs;
  const first = built();
  expect(await buildPage(root)).toBeUndefined();
  expect(built()).toBe(first);
});

test('a folder without page and builder is distinguished', async () => {
  expect(await buildPage('/nowhere')).toBe('Vite is not installed.');
});
