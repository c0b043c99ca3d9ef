import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { SENTINELS } from '../secrets/failover-secrets.ts';

interface Service {
  readonly profiles?: readonly string[];
  readonly hostname?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly required?: boolean }>>;
}

const { services } = parse(readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8'), {
  merge: true,
}) as { services: Readonly<Record<string, Service>> };
const names = Object.keys(services).filter((name) => services[name]?.profiles?.includes('ha'));

test('the profile ha adds two Redis and three Sentinels to the one Redis, each with a name and files of its own', () => {
  expect(names).toEqual(['secrets-ha', 'redis-2', 'redis-3', ...SENTINELS]);
  const nodes = ['redis', ...names.filter((name) => name !== 'secrets-ha')];
  for (const name of nodes) {
    expect(services[name]).toMatchObject({ hostname: name, environment: { SELF: name } });
    expect(services[name]?.volumes).toContain('redis-secrets:/run/secrets:ro');
  }
  const data = nodes.map((name) => services[name]?.volumes?.find((volume) => volume.endsWith(':/data')));
  expect(new Set(data).size).toBe(nodes.length);
  for (const name of ['redis', 'redis-2', 'redis-3'])
    expect(services[name]?.environment?.['SENTINELS']).toBe(SENTINELS.join(' '));
});

test('without the profile nothing waits for what only it starts', () => {
  for (const { profiles, depends_on: after = {} } of Object.values(services)) {
    if (profiles) continue;
    for (const name of Object.keys(after).filter((one) => names.includes(one)))
      expect(after[name]).toMatchObject({ required: false });
  }
});
