import { expect, test } from '@jest/globals';
import type { PortFinder } from '../processes/ports.ts';
import type { EverySetting } from '../settings/check-settings.ts';
import type { StartOptions } from './options.ts';
import { planPorts } from './start-services.ts';

const SETTINGS = {
  HOST: '0.0.0.0',
  PORT: 8_080,
  METRICS_HOST: '127.0.0.1',
  METRICS_PORT: 0,
  STATS_HOST: '127.0.0.1',
  STATS_PORT: 8_090,
  ADMIN_API: 'on',
  ADMIN_HOST: '127.0.0.1',
} as const;
const OPTIONS = { gateways: 3, workers: 1 } as StartOptions;

/** All ports are free but those that were given already. */
function freePorts(): PortFinder {
  const given = new Set<number>();
  const firstFree = async (first: number) => {
    let port = first;
    while (given.has(port)) port += 1;
    given.add(port);
    return port;
  };
  return { claim: (_name, port) => firstFree(port), firstFree };
}

const plan = (more: object) => planPorts({ ...SETTINGS, ...more } as unknown as EverySetting, OPTIONS, {}, freePorts());

test('ADMIN_PORT gives each of several gateways a port of its own, from that one on', async () => {
  const { services, portsInUse } = await plan({ ADMIN_PORT: 8_081 });
  const gateways = services.filter(({ service }) => service === 'gateway');
  expect(gateways.map(({ own }) => own['ADMIN_PORT'])).toEqual(['8081', '8082', '8083']);
  const ports = services.flatMap(({ name }) => Object.values(portsInUse[name] ?? {}));
  expect(new Set(ports).size).toBe(ports.length);
  // As the launcher writes it down for other commands.
  expect(portsInUse['gateway-2']).toMatchObject({ ADMIN_PORT: '8082' });
  expect(services.filter(({ service, own }) => service !== 'gateway' && 'ADMIN_PORT' in own)).toEqual([]);
});

test.each([{}, { ADMIN_PORT: 8_081, ADMIN_API: 'off' }])('with %j no gateway has one', async (more) => {
  const { services } = await plan(more);
  expect(services.filter(({ own }) => 'ADMIN_PORT' in own)).toEqual([]);
});
