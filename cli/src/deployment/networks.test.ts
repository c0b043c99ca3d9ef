import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

const { services, networks } = parse(readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8'), {
  merge: true,
}) as {
  services: Record<string, { networks?: string[]; network_mode?: string; ports?: string[] }>;
  networks: Record<string, { internal?: boolean; driver_opts?: Record<string, string> }>;
};
const on = (network: string) =>
  Object.entries(services).flatMap(([name, service]) => (service.networks?.includes(network) ? [name] : []));

test('only workers, and what sends alerts, have a way out, and only what is published has a way in', () => {
  const published = Object.entries(services).flatMap(([name, { ports }]) => (ports ? [name] : []));
  expect(on('outside')).toEqual(['worker', 'alertmanager']);
  expect(on('door')).toEqual(published);
  expect(networks['door']?.driver_opts).toEqual({
    'com.docker.network.bridge.enable_ip_masquerade': `\${GATEWAY_WAY_OUT:-false}`,
  });
  for (const name of ['data', 'monitoring']) expect(networks[name]).toEqual({ internal: true });
  expect(Object.keys(networks).toSorted()).toEqual(['data', 'door', 'monitoring', 'outside']);
});

test('Redis, or several with their Sentinels, is reached by the services alone, and each service says on which network it is', () => {
  const ofRedis = ['redis', 'redis-2', 'redis-3', 'sentinel-1', 'sentinel-2', 'sentinel-3'];
  expect(on('data')).toEqual([...ofRedis, 'gateway', 'worker', 'stats-service']);
  for (const [name, service] of Object.entries(services)) {
    expect({ name, isTold: service.networks !== undefined || service.network_mode === 'none' }).toEqual({
      name,
      isTold: true,
    });
  }
});
