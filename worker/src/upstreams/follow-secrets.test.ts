import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type CatalogSource, createCatalog, fixedSource, type ModelCatalog } from '@lontar/shared/models/catalog.ts';
import { secretsIn } from '@lontar/shared/models/secrets.ts';
import { followSecrets } from './follow-secrets.ts';

const LOOK_MS = 5;
const catalog = createCatalog(
  'file',
  [{ name: 'a', provider: 'openai', stream: 'auto', apiKey: { variable: 'A_KEY' } }],
  [],
);

let folder: string;
let source: CatalogSource;
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lontar-secrets-'));
  write('key', 'first');
});
afterEach(async () => {
  await source.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a key whose file is exchanged is told of, and one that is gone or half there is not', async () => {
  const secretOf = secretsIn({ A_KEY_FILE: join(folder, 'key') });
  source = followSecrets(fixedSource(catalog), secretOf, LOOK_MS);
  const told: (string | undefined)[] = [];
  let onTold = Promise.withResolvers<ModelCatalog>();
  source.onChange((current) => {
    told.push(secretOf({ variable: 'A_KEY' }));
    onTold.resolve(current);
  });
  // Neither is a key: each look between here and the exchange finds one of them.
  write('key', 'two words');
  write('next', 'second');
  await new Promise((resolve) => setTimeout(resolve, 5 * LOOK_MS));
  renameSync(join(folder, 'next'), join(folder, 'key'));
  expect(await onTold.promise).toBe(catalog);
  onTold = Promise.withResolvers();
  write('next', 'third');
  renameSync(join(folder, 'next'), join(folder, 'key'));
  await onTold.promise;
  expect(told).toEqual(['second', 'third']);
});
