import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { catalogOfVariables } from '@lontar/shared/models/catalog-of-variables.ts';
import { MODEL_HINTS } from '@lontar/shared/models/model-hints.ts';
import { checkSettings } from '../settings/check-settings.ts';
import { readyMessage } from './ready-message.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const settings = checkSettings({});
const said = readyMessage({
  baseUrls: ['http://127.0.0.1:8080'],
  signInLink: 'http://127.0.0.1:8080/?code=c',
  selfTest: { outcome: 'skipped' },
  settings,
  catalog: catalogOfVariables(settings),
  logs: '/srv/.lontar/logs',
});

test.each(MODEL_HINTS)('npm start, README and .env.example say how $upstream is connected', ({ upstream, lines }) => {
  for (const text of [said, read('README.md'), read('.env.example')]) {
    expect(text).toContain(upstream);
    for (const line of lines) expect(text).toContain(line);
  }
});
