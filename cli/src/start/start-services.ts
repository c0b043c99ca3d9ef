import type { Environment } from '@lontar/shared/config/read-config.ts';
import { saysTaken } from '@lontar/shared/http/server.ts';
import { callableUrl, isFree, type PortFinder } from '../processes/ports.ts';
import { serviceProcess } from '../processes/service-process.ts';
import { type EverySetting, isGiven } from '../settings/check-settings.ts';
import type { Surroundings } from '../settings/environment.ts';
import type { ServiceName } from '../settings/services.ts';
import type { Fleet } from './fleet.ts';
import type { StartOptions } from './options.ts';
import { untilReady } from './readiness.ts';

const FIRST_STATS_PORT = 8090;
const FIRST_METRICS_PORT = 9464;
const READY_TIMEOUT_MS = 30_000;
const MOST_ROUNDS = 5;

/** One process to be, and where it listens. */
export interface PlannedService {
  readonly name: string;
  readonly service: ServiceName;
  readonly metricsPort: number;
  readonly own: Readonly<Record<string, string>>;
}

export interface PortPlan {
  readonly services: readonly PlannedService[];
  readonly gateways: readonly { readonly url: string }[];
  /** Of each process by its name, by the settings that would say them. */
  readonly portsInUse: Readonly<Record<string, Record<string, string>>>;
}

/**
 * Gives every process its ports: the operator's where they said so, else free ones from the usual on.
 *
 * @param upstreamPorts of this machine, at which upstreams answer: the gateway takes none of them unless it is told to
 * @throws StartFailure when a port that the operator named is taken
 */
export async function planPorts(
  settings: EverySetting,
  options: StartOptions,
  environment: Environment,
  ports: PortFinder,
  upstreamPorts: ReadonlySet<number> = new Set(),
): Promise<PortPlan> {
  const { HOST, METRICS_HOST, STATS_HOST } = settings;
  const adminPorts = await planAdminPorts(settings, options.gateways, ports);
  // A server of models such as llama.cpp has our usual port.
  const givesWay = upstreamPorts.has(settings.PORT) && !isGiven(environment, 'PORT');
  const firstPort = givesWay
    ? await ports.firstFree(settings.PORT + 1, HOST)
    : await ports.claim('PORT', settings.PORT, HOST);
  const gatewayPorts = [firstPort];
  while (gatewayPorts.length < options.gateways) gatewayPorts.push(await ports.firstFree(firstPort + 1, HOST));
  const statsPort = isGiven(environment, 'STATS_PORT')
    ? await ports.claim('STATS_PORT', settings.STATS_PORT, STATS_HOST)
    : await ports.firstFree(FIRST_STATS_PORT, STATS_HOST);
  const statsUrl = callableUrl(STATS_HOST, statsPort);

  const wanted: Omit<PlannedService, 'metricsPort'>[] = [
    ...gatewayPorts.map((port, index) => ({
      name: `gateway-${index + 1}`,
      service: 'gateway' as const,
      own: { PORT: String(port), STATS_URL: statsUrl, ...adminPortOf(adminPorts[index]) },
    })),
    ...Array.from({ length: options.workers }, (_, index) => ({
      name: `worker-${index + 1}`,
      service: 'worker' as const,
      own: {},
    })),
    { name: 'stats-service', service: 'stats-service', own: { STATS_PORT: String(statsPort) } },
  ];
  const services: PlannedService[] = [];
  const firstMetricsPort = settings.METRICS_PORT || FIRST_METRICS_PORT;
  for (const service of wanted) {
    const metricsPort = await ports.firstFree(firstMetricsPort, METRICS_HOST);
    services.push({ ...service, metricsPort, own: { ...service.own, METRICS_PORT: String(metricsPort) } });
  }
  return {
    services,
    gateways: gatewayPorts.map((port) => ({ url: callableUrl(HOST, port) })),
    portsInUse: Object.fromEntries(services.map(({ name, own }) => [name, portsOf(own)])),
  };
}

/** A port of its own for the admin API of each gateway, where the operator wants one: none may then have it at its PORT. */
async function planAdminPorts(
  { ADMIN_API, ADMIN_PORT, ADMIN_HOST }: EverySetting,
  gateways: number,
  ports: PortFinder,
): Promise<readonly number[]> {
  if (ADMIN_API === 'off' || ADMIN_PORT === undefined) return [];
  const planned = [await ports.claim('ADMIN_PORT', ADMIN_PORT, ADMIN_HOST)];
  while (planned.length < gateways) planned.push(await ports.firstFree((planned[0] ?? 0) + 1, ADMIN_HOST));
  return planned;
}

function adminPortOf(port: number | undefined): Record<string, string> {
  return port === undefined ? {} : { ADMIN_PORT: String(port) };
}

function portsOf(own: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(own).filter(([setting]) => /(?:^|_)PORT$/.test(setting)));
}

interface ServiceStart {
  readonly surroundings: Surroundings;
  readonly fleet: Fleet;
  readonly say: (text: string) => void;
  /** The address of our own Redis for each service. */
  readonly redisUrl: ((service: ServiceName) => string) | undefined;
  readonly secrets: Readonly<Record<string, string>>;
  /** How long a process that has to stop again may take, ms. */
  readonly graceMs: number;
}

/**
 * Starts all services at once and waits until each is ready. Where one is not, all are stopped again.
 *
 * @throws StartFailure with the end of the log of the first that is not
 */
export async function startServices(plan: PortPlan, deps: ServiceStart): Promise<void> {
  const common = {
    LONTAR_HOME: deps.surroundings.home.folder,
    ...deps.secrets,
  };
  const started = plan.services.map(({ name, service, metricsPort, own }) => {
    const redis = deps.redisUrl === undefined ? {} : { REDIS_URL: deps.redisUrl(service) };
    const spec = serviceProcess(name, service, deps.surroundings, { ...common, ...redis, ...own });
    return deps.fleet.run(service, spec, {
      untilReady: (signal, { pid }) => untilReady(metricsPort, pid, signal),
      readyTimeoutMs: READY_TIMEOUT_MS,
      say: deps.say,
    });
  });
  try {
    await Promise.all(started.map(({ ready }) => ready));
  } catch (error) {
    // Gateways stand before what they need.
    for (const process of started) await process.stop(deps.graceMs);
    throw error;
  }
}

/**
 * Starts services with the ports that were chosen for them, and with others where another program opened one of them in
 * the meantime, such as a second `npm start` beside this one.
 *
 * @param start rejects where a process did not start; nothing is then left running
 * @param planAgain chooses other ports; rejects with StartFailure where one that the operator named is taken
 * @returns the ports that are in use
 * @throws StartFailure when services do not start for another reason, or too often for this one
 */
export async function startOnFreePorts(
  first: PortPlan,
  steps: {
    readonly start: (plan: PortPlan) => Promise<void>;
    readonly planAgain: () => Promise<PortPlan>;
    readonly isFree: (setting: string, port: number) => Promise<boolean>;
    readonly say: (text: string) => void;
  },
): Promise<PortPlan> {
  let plan = first;
  for (let round = 1; ; round += 1) {
    try {
      await steps.start(plan);
      return plan;
    } catch (error) {
      const taken = await takenPort(plan, steps.isFree, error);
      if (taken === undefined || round === MOST_ROUNDS) throw error;
      steps.say(`Another program opened port ${taken} first: the services are started again with other ports.`);
      plan = await steps.planAgain();
    }
  }
}

/** The port that another program had, as a process said or as can be tried: that program may have ended meanwhile. */
async function takenPort(
  { portsInUse }: PortPlan,
  isFreeNow: (setting: string, port: number) => Promise<boolean>,
  failure: unknown,
): Promise<string | undefined> {
  for (const [setting, port] of Object.values(portsInUse).flatMap((ports) => Object.entries(ports))) {
    if (saysTaken(String(failure), port)) return port;
    if (!(await isFreeNow(setting, Number(port)))) return port;
  }
  return undefined;
}

/** Whether a port that a setting names could be opened just now, at the address that belongs to it. */
export function isFreeIn(
  { HOST, ADMIN_HOST, METRICS_HOST, STATS_HOST }: EverySetting,
  setting: string,
  port: number,
): Promise<boolean> {
  const hosts: Readonly<Record<string, string>> = {
    ADMIN_PORT: ADMIN_HOST,
    METRICS_PORT: METRICS_HOST,
    STATS_PORT: STATS_HOST,
  };
  return isFree(port, hosts[setting] ?? HOST);
}
