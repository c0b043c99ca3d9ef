import { hostname } from 'node:os';

/**
 * Where other instances and Prometheus reach this instance's metrics.
 *
 * A listener on all addresses names none of them; then the machine's own name stands in, which inside a container is
 * its id and resolves on every network that the container is on, so that each of several replicas is a target.
 *
 * @param port the port that the listener really has
 */
export function metricsUrl(
  config: { readonly METRICS_ADVERTISE?: string | undefined; readonly METRICS_HOST: string },
  port: number,
  ownName: string = hostname(),
): string {
  const listensOnAll = config.METRICS_HOST === '0.0.0.0' || config.METRICS_HOST === '::';
  const host = config.METRICS_ADVERTISE ?? (listensOnAll ? ownName : config.METRICS_HOST);
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/metrics`;
}
