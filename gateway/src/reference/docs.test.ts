import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { ERROR_CATALOG } from '@lontar/shared/errors.ts';
import { namesOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { uploadSettings } from '../uploads/upload-settings.ts';
import { operations } from './openapi.ts';

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
// The formatter aligns tables.
const api = read('api.md').replaceAll(/ +/g, ' ');

describe('docs/api.md', () => {
  test.each(Object.values(ERROR_CATALOG).filter(({ status }) => status !== 499))(
    'has $status $label in its table',
    ({ status, label }) => {
      expect(api).toContain(`| ${status} | \`${label}\` |`);
    },
  );

  test('names every path', () => {
    const limits = {
      reading: { models: { current: namesOfVariables() }, maxPromptChars: 1, maxContextChars: 1, maxOutputTokens: 1 },
      maxFileBytes: 1,
      uploadsPerDay: 1,
      utilityEndpoints: 'open' as const,
      hasAdminApi: true,
      perHour: 1,
      downloadsPerHour: 1,
    };
    const admin = read('admin.md');
    for (const { path, method, tag } of operations(limits)) {
      if (tag !== 'Admin') expect(api).toContain(path.replace('{id}', ':id'));
      else expect(admin).toContain(`| \`${method.toUpperCase()} ${path.replace(/\{(\w+)\}/, ':$1')}\` |`);
    }
  });
});

test('docs/uploads.md names the settings that an operator may want', () => {
  const text = read('uploads.md');
  for (const name of Object.keys(uploadSettings)) {
    if (!name.endsWith('_KEY_ID') && !name.endsWith('_ACCESS_KEY')) expect(text).toContain(name);
  }
});
