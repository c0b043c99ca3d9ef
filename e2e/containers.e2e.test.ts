import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DockerComposeEnvironment, type StartedDockerComposeEnvironment, Wait } from 'testcontainers';
import { ask, expectSuccess } from './harness/client.ts';
import { compose, hasDocker, inspect } from './harness/docker.ts';
import { eventually } from './harness/eventually.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Grafana is left out: its image is large, and nothing here asks it anything. */
const SERVICES = ['gateway', 'worker', 'stats-service', 'prometheus'];

(hasDocker ? describe : describe.skip)('as containers, by docker-compose.yml', () => {
  const project = `lontar-test-${randomBytes(4).toString('hex')}`;
  const settings: Record<string, string> = {
    PORT: '0',
    RATE_LIMIT_PER_HOUR: '1000000',
    LONTAR_IMAGE: 'lontar:test',
    COMPOSE_PROFILES: 'monitoring',
  };
  const dockerCompose = (...args: string[]) => compose(project, settings, ...args);
  let stack: StartedDockerComposeEnvironment;
  let url: string;
  let key: string;

  const findUrl = async () => `http://${(await dockerCompose('port', 'gateway', '8080')).trim()}`;
  const generate = (prompt = 'hi') => ask(url, '/api/ai', { query: { prompt }, headers: { 'x-api-key': key } });
  const health = async () => (await ask(url, '/api/health')).body as { status: string; workers: { instances: number } };

  beforeAll(async () => {
    stack = await new DockerComposeEnvironment(ROOT, 'docker-compose.yml')
      .withProjectName(project)
      .withEnvironment({ ...settings, PATH: process.env['PATH'] ?? '' })
      .withBuild()
      .withDefaultWaitStrategy(Wait.forHealthCheck())
      .withWaitStrategy('secrets-1', Wait.forOneShotStartup())
      .up(SERVICES);
    url = await findUrl();
    const made = await stack.getContainer('gateway-1').exec(['lontar', 'keys', 'create', '--name', 'first', '--json']);
    ({ key } = JSON.parse(made.stdout) as { key: string });
  }, 400_000);
  afterAll(async () => {
    await dockerCompose('down', '--volumes', '--timeout', '5');
  }, 60_000);

  test('answers through the published port, masked, with its page', async () => {
    const reply = await generate();
    expectSuccess(reply);
    expect(Number(reply.headers['x-masked'])).toBeGreaterThan(0);
    expect((await ask(url, '/')).text).toContain('<script');
    expect(await health()).toMatchObject({ status: 'ok' });
  });

  test('no container is root, can write to its image, or has a capability or a secret to show', async () => {
    const containers = (await dockerCompose('ps', '--quiet')).trim().split('\n');
    const secrets = await Promise.all(
      [
        ['gateway', 'key_pepper'],
        ['stats-service', 'dashboard_token'],
        ['redis', 'redis_password'],
      ].map(([service = '', name = '']) => dockerCompose('exec', '-T', service, 'cat', `/run/secrets/${name}`)),
    );
    const all = await inspect(containers);
    expect(all).toHaveLength(SERVICES.length + 1);
    for (const container of all) {
      const { Config, HostConfig, State } = container;
      expect(State.Health?.Status).toBe('healthy');
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

  test('each of four workers is a target of Prometheus and a part of the fleet', async () => {
    await dockerCompose('up', '--detach', '--no-recreate', '--wait', '--scale', 'worker=4', 'worker');
    await eventually(async () => (await health()).workers.instances === 4, 30_000);
    const query = ['promtool', 'query', 'instant', 'http://127.0.0.1:9090', 'count(up{job="worker"} == 1)'];
    await eventually(async () => /=> 4 @/.test(await dockerCompose('exec', '-T', 'prometheus', ...query)), 60_000);
  }, 150_000);

  test('restarts of worker and statistics under load are noticed by nobody', async () => {
    const load = startLoad(() => generate('under load'));
    for (const service of ['worker', 'stats-service']) await dockerCompose('restart', service);
    await load.untilAnswered(10);
    expect(await load.stop()).toEqual([]);
  }, 120_000);

  test('restarts of gateway and Redis under load cost patience, but no request', async () => {
    const load = startLoad(() => withPatience(generate, async () => (url = await findUrl())));
    for (const service of ['gateway', 'redis']) await dockerCompose('restart', service);
    await load.untilAnswered(10);
    expect(await load.stop()).toEqual([]);
  }, 150_000);

  test('keys and totals outlive the containers', async () => {
    const total = async () =>
      ((await ask(url, '/api/usage')).body as { result: { total: { requests: number } } }).result.total.requests;
    const before = await total();
    await dockerCompose('down', '--timeout', '30');
    await dockerCompose('up', '--detach', '--wait', ...SERVICES);
    url = await findUrl();
    expect(await total()).toBe(before);
    expectSuccess(await generate());
  }, 150_000);
});

/** Four callers, one request after the other, until they are told to stop. */
function startLoad(send: () => Promise<{ status: number }>) {
  let stopped = false;
  let answered = 0;
  const failures: string[] = [];
  const caller = async () => {
    while (!stopped) {
      const outcome = await send().then(
        ({ status }) => status,
        (error: unknown) => String(error),
      );
      if (outcome === 200) answered++;
      else failures.push(String(outcome));
      await delay(20);
    }
  };
  const callers = Array.from({ length: 4 }, caller);
  return {
    /** Until `count` more have been answered than when it is asked, or one failed. */
    untilAnswered: async (count: number) => {
      const enough = answered + count;
      await eventually(async () => answered >= enough || failures.length > 0, 60_000);
    },
    async stop() {
      stopped = true;
      await Promise.all(callers);
      return failures;
    },
  };
}

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
