import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createKey } from '@lontar/shared/keys/create-key.ts';
import type { ModelCatalog } from '@lontar/shared/models/catalog.ts';
import { secretsIn } from '@lontar/shared/models/secrets.ts';
import { collectEverything } from '@lontar/shared/patches/young-generation.ts';
import { redisKeys } from '@lontar/shared/redis-keys.ts';
import { removeEndpoint, writeEndpoint } from '../home/endpoint.ts';
import { createHome } from '../home/home.ts';
import { readCatalog } from '../models/read-catalog.ts';
import { buildPage } from '../page/build-page.ts';
import { callableUrl, createPortFinder, type PortFinder } from '../processes/ports.ts';
import { serviceMain } from '../processes/service-process.ts';
import { connectOnce } from '../redis/connect.ts';
import { signInLink } from '../sessions/sign-in-link.ts';
import { checkSettings, type EverySetting } from '../settings/check-settings.ts';
import type { Surroundings } from '../settings/environment.ts';
import { SERVICE_SETTINGS, type ServiceName } from '../settings/services.ts';
import { type ProgressStream, withProgress } from '../system/progress.ts';
import { systemdNotes } from '../system-service/notify.ts';
import { claimHome, stopLeftovers } from './claim-home.ts';
import { type Ask, firstModels } from './first-models.ts';
import { createFleet, type Fleet } from './fleet.ts';
import type { StartOptions } from './options.ts';
import { readyMessage } from './ready-message.ts';
import { chooseSecrets } from './secrets.ts';
import { STARTER, testOnce, versionOf } from './self-test.ts';
import { startRedis } from './start-redis.ts';
import { isFreeIn, planPorts, startOnFreePorts, startServices } from './start-services.ts';
import { type StopRequests, whenFired } from './stop-requests.ts';

/** On top of what a service takes to drain, before it is killed. */
const STOP_GRACE_MS = 5_000;
/** Within it ports are looked for where those from the usual on were taken by others: two starts at once seldom meet again. */
const FURTHER_PORTS = 1_000;
const FIRST_KEY_NAME = 'first key';
/** Programs go by them, model calls do not. */
const PROXY_NAMES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

export interface LaunchDeps {
  readonly surroundings: Surroundings;
  /** Asks the operator at the terminal; absent without one. */
  readonly ask?: Ask | undefined;
  readonly options: StartOptions;
  readonly requests: StopRequests;
  readonly out: { write(text: string): unknown };
  readonly progress: ProgressStream;
}

/**
 * `npm start`: checks everything, starts everything, says where it is, keeps it running, and stops it on a signal.
 *
 * @throws ConfigError, StartFailure or RedisUnreachable when it cannot start; nothing is then left running
 */
export async function launch(deps: LaunchDeps): Promise<void> {
  const { requests } = deps;
  const say = (text: string) => void deps.progress.write(`${text}\n`);
  for (const doubt of deps.surroundings.doubts ?? []) say(`Warning: ${doubt}`);
  checkSettings(deps.surroundings.environment);
  const isFirst = !existsSync(deps.surroundings.home.folder);
  const surroundings = await firstModels(deps.surroundings, { isFirst, say, ask: deps.ask });
  const { home, root } = surroundings;
  const settings = checkSettings(surroundings.environment);
  const catalog = await readCatalog(surroundings, 'with secrets');
  createHome(home);
  const release = claimHome(home);
  const fleet = createFleet();
  const systemd = systemdNotes(surroundings.environment);
  requests.kill.addEventListener('abort', () => fleet.kill());
  try {
    const mains = (Object.keys(SERVICE_SETTINGS) as ServiceName[]).map((service) => serviceMain(root, service));
    await stopLeftovers(home, mains, say);
    const unbuilt = await buildPage(root);
    if (unbuilt !== undefined) say(`The dashboard's page could not be built, so it is missing: ${unbuilt}`);
    const started = startEverything({ ...deps, surroundings }, { settings, catalog }, fleet, say).then(() => {
      systemd.ready();
      // From here on this process waits for its children, maybe for months.
      collectEverything();
    });
    await Promise.race([started, whenFired(requests.stop)]);
    // Whatever a start that was broken off still reports is of no interest.
    started.catch(() => undefined);
    await whenFired(requests.stop);
    systemd.stopping();
    say('Stopping; Ctrl-C again ends everything at once.');
  } finally {
    await fleet.stop(settings.DRAIN_TIMEOUT_MS + STOP_GRACE_MS);
    removeEndpoint(home);
    release();
  }
  say('Stopped.');
}

async function startEverything(
  { surroundings, options, out, progress }: LaunchDeps,
  { settings, catalog }: { readonly settings: EverySetting; readonly catalog: ModelCatalog },
  fleet: Fleet,
  say: (text: string) => void,
): Promise<void> {
  const { home, root } = surroundings;
  const ports = createPortFinder();
  // The public port comes first: when it is taken, nothing has been touched yet.
  const planWith = (finder: PortFinder) =>
    planPorts(settings, options, surroundings.environment, finder, upstreamPorts(catalog));
  const planned = await planWith(ports);
  const usual = callableUrl(settings.HOST, settings.PORT);
  if (settings.PORT !== 0 && planned.gateways[0]?.url !== usual) {
    say(`An upstream answers at port ${settings.PORT}, so the service takes the next that is free; PORT sets another.`);
  }
  const chosenRedis = await startRedis({ surroundings, settings, fleet, ports, progress, say });
  const secrets = chooseSecrets(surroundings, settings);
  const graceMs = settings.DRAIN_TIMEOUT_MS + STOP_GRACE_MS;
  const how = { surroundings, fleet, say, redisUrl: chosenRedis.own, secrets: secrets.own, graceMs };
  const plan = await withProgress('Starting gateway, worker and stats-service', progress, () =>
    startOnFreePorts(planned, {
      start: (chosen) => startServices(chosen, how),
      planAgain: () => planWith(createPortFinder(randomInt(FURTHER_PORTS))),
      isFree: (setting, port) => isFreeIn(settings, setting, port),
      say,
    }),
  );
  const baseUrls = plan.gateways.map(({ url }) => url);
  const [baseUrl = ''] = baseUrls;
  const startedAt = new Date().toISOString();
  writeEndpoint(home, { pid: process.pid, redisUrl: chosenRedis.full, baseUrls, startedAt, ports: plan.portsInUse });
  const redis = await connectOnce(chosenRedis.connection, 'lontar-start');
  try {
    const keys = { redis, pepper: secrets.pepper };
    const isFirst = (await redis.zcard(redisKeys.apiKeyIndex)) === 0;
    const first = isFirst ? await createKey(keys, { name: FIRST_KEY_NAME }, { actor: STARTER }) : undefined;
    const choice = { settings, catalog, secretOf: secretsIn(surroundings.environment) };
    const selfTest = await testOnce({ keys, home, progress, version: versionOf(root) }, baseUrl, choice);
    const link = await signInLink(redis, baseUrl);
    const proxy = PROXY_NAMES.find((name) => surroundings.environment[name]);
    const facts = { baseUrls, signInLink: link, firstKey: first?.key, selfTest, settings, catalog, logs: home.logs };
    out.write(readyMessage({ ...facts, proxy }));
  } finally {
    redis.disconnect();
  }
}

/** The ports of this machine at which upstreams answer. */
function upstreamPorts({ upstreams }: ModelCatalog): ReadonlySet<number> {
  const urls = [...upstreams.values()].flatMap(({ baseUrl }) => (baseUrl === undefined ? [] : [new URL(baseUrl)]));
  return new Set(urls.filter(({ hostname }) => LOOPBACK.has(hostname)).map(({ port }) => Number(port)));
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
