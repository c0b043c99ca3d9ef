import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type FakeUpstream, startFakeUpstream } from '@lontar/shared/testing/fake-upstream.ts';
import { DockerComposeEnvironment, Wait } from 'testcontainers';
import { BLACK_BOX_SETTINGS, type BlackBox } from './black-box/service.ts';
import { testBlackBox } from './black-box/suite.ts';
import { ask, expectSuccess } from './harness/client.ts';
import { baseImages, bridgeAddress, compose, inspect, restart, setSecret } from './harness/docker.ts';
import { eventually } from './harness/eventually.ts';
import { freePorts } from './harness/free-ports.ts';
import { ROOT } from './harness/launch.ts';
import { startClients } from './harness/load.ts';
import { openTls } from './harness/over-tls.ts';
import { nginx } from './harness/proxies.ts';

/** Grafana is left out: its image is large, and nothing here asks it anything. */
const SERVICES = ['gateway', 'worker', 'stats-service', 'prometheus'];
const WORKERS = 4;
const ASK_AGGREGATE = `
  const secret = require('node:fs').readFileSync('/run/secrets/inner_secret', 'utf8').trim();
  const headers = { authorization: 'Bearer ' + secret };
  fetch('http://127.0.0.1:8090/prometheus/aggregate', { headers })
    .then(async (answer) => process.stdout.write(await answer.text()));`;

/** What the Dockerfile and docker-compose.yml build on. */
const images = baseImages('NODE_IMAGE', 'REDIS_IMAGE', 'PROMETHEUS_IMAGE');

(images ? describe : describe.skip)('as containers, by docker-compose.yml', () => {
  const project = `lontar-test-${randomBytes(4).toString('hex')}`;
  let settings: Record<string, string>;
  const dockerCompose = (...args: string[]) => compose(project, settings, ...args);
  let upstream: FakeUpstream;
  let service: BlackBox;
  let url: string;
  let key: string;
  /** Resolves when there are all workers. */
  let scaled: Promise<unknown>;

  const findUrl = async () => `http://${(await dockerCompose('port', 'gateway', '8080')).trim()}`;
  const generate = (prompt = 'hi') => ask(url, '/api/ai', { query: { prompt }, headers: { 'x-api-key': key } });
  const health = async () => (await ask(url, '/api/health')).body as { status: string; workers: { instances: number } };
  const usage = async () =>
    ((await ask(url, '/api/usage')).body as { result: { total: { requests: number } } }).result.total.requests;
  /** What gateways and Redis said lately of what is wrong. */
  const warnings = async () => {
    const said = await dockerCompose('logs', '--no-color', '--since', '3m', 'gateway', 'redis');
    return said.split('\n').filter((line) => /"level":"(?:warn|error|fatal)"|fsync|slow/i.test(line));
  };
  const lontar = (...args: string[]) => dockerCompose('exec', '-T', 'gateway', 'lontar', ...args);

  beforeAll(async () => {
    upstream = await startFakeUpstream(undefined, '0.0.0.0');
    settings = {
      ...BLACK_BOX_SETTINGS,
      ...images,
      PORT: '0',
      LONTAR_IMAGE: 'lontar:test',
      COMPOSE_PROFILES: 'monitoring',
      OPENAI_BASE_URL: `http://host.docker.internal:${upstream.port}/v1`,
    };
    const upstreamKey = randomBytes(24).toString('base64url');
    await dockerCompose('build', 'secrets');
    await setSecret(project, settings, 'openai_api_key', upstreamKey);
    await new DockerComposeEnvironment(ROOT, 'docker-compose.yml')
      .withProjectName(project)
      .withEnvironment({ ...settings, PATH: process.env['PATH'] ?? '' })
      .withDefaultWaitStrategy(Wait.forHealthCheck())
      .withWaitStrategy('secrets-1', Wait.forOneShotStartup())
      .up(SERVICES);
    // What Prometheus takes to find three more goes by beside the other tests.
    scaled = dockerCompose('up', '--detach', '--no-recreate', '--wait', '--scale', `worker=${WORKERS}`, 'worker');
    // A failure is one of the test that waits for it.
    scaled.catch(() => undefined);
    url = await findUrl();
    const createKey = async (...options: string[]) => {
      const made = await lontar('keys', 'create', '--name', 'test', '--json', '--concurrency', '1000', ...options);
      return JSON.parse(made) as { id: string; key: string };
    };
    ({ key } = await createKey());
    const token = await dockerCompose('exec', '-T', 'stats-service', 'cat', '/run/secrets/dashboard_token');
    service = {
      url,
      upstream,
      secrets: { upstreamKey, dashboardToken: token.trim() },
      createKey,
      lontar,
      aggregatedMetrics: () => dockerCompose('exec', '-T', 'stats-service', 'node', '-e', ASK_AGGREGATE),
    };
  }, 400_000);
  afterAll(async () => {
    if (settings !== undefined) await dockerCompose('down', '--volumes', '--timeout', '5');
    await upstream?.stop();
  });

  testBlackBox(() => service);

  test('no container is root, can write to its image, or has a capability or a secret to show', async () => {
    await scaled;
    const containers = (await dockerCompose('ps', '--quiet')).trim().split('\n');
    const secrets = await Promise.all(
      [
        ['gateway', 'key_pepper'],
        ['stats-service', 'dashboard_token'],
        ['redis', 'redis_operator_password'],
      ].map(([service = '', name = '']) => dockerCompose('exec', '-T', service, 'cat', `/run/secrets/${name}`)),
    );
    expect(containers).toHaveLength(SERVICES.length + WORKERS);
    // A busy machine answers some checks of health too late; a service that is well is healthy again after the next one.
    await eventually(async () => (await inspect(containers)).every(({ State }) => State.Health?.Status === 'healthy'));
    for (const container of await inspect(containers)) {
      const { Config, HostConfig } = container;
      expect(Config.User).toMatch(/^[1-9]/);
      expect(HostConfig).toMatchObject({ ReadonlyRootfs: true, CapDrop: ['ALL'], CapAdd: null, Privileged: false });
      expect(HostConfig.SecurityOpt).toContain('no-new-privileges:true');
      expect(HostConfig.Memory).toBeGreaterThan(0);
      expect(HostConfig.RestartPolicy.Name).toBe('unless-stopped');
      expect(HostConfig.LogConfig.Config).toMatchObject({ 'max-size': '10m' });
      const published = Object.values(HostConfig.PortBindings).flat();
      expect(published.map(({ HostIp }) => HostIp)).toEqual(container.Name.includes('gateway') ? ['127.0.0.1'] : []);
      for (const secret of secrets) expect(JSON.stringify(container)).not.toContain(secret.trim());
    }
  });

  test('the doctor finds nothing wrong', async () => {
    const { checks } = JSON.parse(await lontar('doctor', '--json')) as { checks: { status: string }[] };
    expect(checks.filter(({ status }) => status === 'failed')).toEqual([]);
  });

  test('each of four workers is a target of Prometheus and a part of the fleet', async () => {
    await scaled;
    await eventually(async () => (await health()).workers.instances === WORKERS);
    const query = ['promtool', 'query', 'instant', 'http://127.0.0.1:9090', 'count(up{job="worker"} == 1)'];
    await eventually(async () => /=> 4 @/.test(await dockerCompose('exec', '-T', 'prometheus', ...query)));
  });

  test('restarts of worker and statistics under load break no request, and every answer is counted', async () => {
    const before = await usage();
    const load = startClients(4, generate);
    for (const name of ['worker', 'stats-service']) await dockerCompose('restart', name);
    await load.untilAnswered(10);
    const { answered, failures } = await load.stop();
    expect(failures).toEqual([]);
    await eventually(async () => (await usage()) === before + answered);
  });

  test('restarts of the only gateway and of Redis under load cost patience, but no request', async () => {
    const load = startClients(4, () => withPatience(generate, async () => (url = await findUrl())));
    for (const name of ['gateway', 'redis']) await dockerCompose('restart', name);
    await load.untilAnswered(10);
    expect((await load.stop()).failures).toEqual([]);
  });

  test('keys and totals outlive the containers', async () => {
    // The last answers of the test before are counted a moment after their callers have them.
    let before = -1;
    await eventually(async () => before === (before = await usage()));
    await dockerCompose('down', '--timeout', '30');
    await dockerCompose('up', '--detach', '--wait', ...SERVICES);
    url = await findUrl();
    expect(await usage()).toBe(before);
    expectSuccess(await generate());
  });

  // Last: the gateway gets another port, and a second one beside it.
  (nginx.isHere && process.platform === 'linux' ? test : test.skip)(
    'two gateways behind nginx, restarted in turn under load: no client error',
    async () => {
      const ports = await freePorts(2);
      settings['PORT'] = `${ports[0]}-${ports[1]}`;
      settings['BIND_ADDRESS'] = await bridgeAddress();
      await dockerCompose('up', '--detach', '--wait', '--no-deps', '--scale', 'gateway=2', 'gateway');
      const gateways = (await dockerCompose('ps', '--quiet', 'gateway')).trim().split('\n');
      expect(gateways).toHaveLength(2);
      const proxy = await nginx.start(ports.map((port) => `${settings['BIND_ADDRESS']}:${port}`));
      const tls = openTls(proxy);
      const load = startClients(4, (prompt) =>
        tls.ask('/api/ai', {
          method: 'POST',
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          body: JSON.stringify({ prompt }),
        }),
      );
      for (const gateway of gateways) {
        await load.untilAnswered(20);
        await restart(gateway);
        await eventually(async () => (await inspect([gateway]))[0]?.State.Health?.Status === 'healthy');
      }
      await load.untilAnswered(20);
      const { failures } = await load.stop();
      tls.close();
      await proxy.stop();
      expect({ failures, why: failures.length === 0 ? [] : await warnings() }).toEqual({ failures: [], why: [] });
    },
    400_000,
  );
});

/** What a well-behaved client does about 503 and a connection that is refused or cut: it tries again in a moment. */
async function withPatience(
  send: () => Promise<{ status: number }>,
  lookUpAgain: () => Promise<unknown>,
): Promise<{ status: number }> {
  const end = Date.now() + 60_000;
  for (;;) {
    const reply = await send().catch(() => undefined);
    if (reply && reply.status !== 503) return reply;
    if (Date.now() > end) return reply ?? { status: 0 };
    await delay(500);
    // A port of 0 is another one after a restart.
    await lookUpAgain().catch(() => undefined);
  }
}
