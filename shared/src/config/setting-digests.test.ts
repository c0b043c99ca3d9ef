import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { settingDigests } from './setting-digests.ts';
import { setting } from './settings.ts';

const schema = z.object({
  MODEL_MAP: setting(z.string().optional(), { about: 'a', example: 'b' }),
  OPENAI_API_KEY: setting(z.string().optional(), { about: 'a', example: 'b', secret: true }),
  PORT: setting(z.string().optional(), { about: 'a', example: 'b' }),
});

test('tells settings apart without showing them, and leaves out secrets and places', () => {
  const one = settingDigests(schema, { MODEL_MAP: 'x', OPENAI_API_KEY: 'k', PORT: '1' });
  expect(Object.keys(one)).toEqual(['MODEL_MAP']);
  expect(JSON.stringify(one)).not.toContain('x"');
  expect(settingDigests(schema, { MODEL_MAP: 'x', PORT: '2' })).toEqual(one);
  expect(settingDigests(schema, { MODEL_MAP: 'y' })).not.toEqual(one);
  expect(settingDigests(schema, {})).not.toEqual(one);
});
