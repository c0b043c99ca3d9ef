import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { checkSettings } from '../settings/check-settings.ts';
import { everySetting } from '../settings/services.ts';
import { configurationPage, envExample } from './settings-docs.ts';

describe('the docs of the settings', () => {
  test.each([
    ['.env.example', envExample],
    ['docs/configuration.md', configurationPage],
  ])('%s is what the schemas say (npm run docs makes it so)', (file, generate) => {
    expect(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')).toBe(generate());
  });

  test('.env.example names every setting, and all of its values are valid', () => {
    const uncommented = envExample().replaceAll(/^#(?=\w+=)/gm, '');
    const values = parseEnv(uncommented);
    // What is no setting is a key that models.yaml names.
    const expected = [...Object.keys(everySetting.shape), 'ANTHROPIC_API_KEY'];
    expect(Object.keys(values).toSorted()).toEqual(expected.toSorted());
    // Files of TLS go with an address that asks for it, and have to be there.
    for (const name of ['REDIS_CA_FILE', 'REDIS_CERT_FILE', 'REDIS_KEY_FILE']) delete values[name];
    expect(() => checkSettings(values)).not.toThrow();
  });
});
