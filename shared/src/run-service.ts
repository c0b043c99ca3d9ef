import type { Environment } from './config/read-config.ts';
import type { CommonConfig, OnSignal, Service } from './start-service.ts';

/**
 * Runs a service from its configuration to its end, in a process of its own; called from `main.ts` alone. Ends the
 * process: with 0 after SIGTERM or SIGINT, whenever that comes, or 1 where stopping took longer than `DRAIN_TIMEOUT_MS`;
 * with 2 where the configuration is bad, and 1 where the start fails, each with the reason on standard error.
 *
 * Signals are taken before anything else is loaded, and loading takes most of a start: the first process of a container
 * is not ended by a signal that it has not taken.
 *
 * @param load imports the service
 * @throws what an import throws; Node then ends the process with 1
 */
export async function runService<Config extends CommonConfig>(
  environment: Environment,
  load: () => Promise<Service<Config>>,
): Promise<void> {
  // An operator may ask Node for reports of crashes; they would hold every key and password of the environment.
  process.report.excludeEnv = true;
  // Nothing is to be stopped before something has been started.
  let onSignal: OnSignal = () => process.exit(0);
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, (signal) => onSignal(signal));
  const service = await load();
  const { startService } = await import('./start-service.ts');
  // Loading holds the event loop. A signal that came meanwhile is heard now.
  await new Promise(setImmediate);
  await startService(service, environment, (handler) => {
    onSignal = handler;
  });
}
