import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@lontar/shared/testing/redis-server.ts';

const CONFIGURATION = fileURLToPath(new URL('../../dashboard/prometheus/', import.meta.url));

/** Where alerts lead in tests. */
export const RUNBOOKS_URL = 'https://runbooks.example.org';

export const hasPrometheus = ['prometheus', 'promtool'].every(
  (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0,
);

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** A real Prometheus on the project's own configuration and rules. */
export interface Prometheus {
  /** Result of an instant query. */
  query(expr: string): Promise<Sample[]>;
  /** Addresses of the targets of a job that were scraped well. */
  targetsUp(job: string): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * Starts Prometheus on a copy of the configuration in which a minute is a second, so that tests need not wait.
 *
 * @param statsAddress `host:port` of stats-service
 * @param innerSecret `INNER_SECRET`
 * @param alertmanager `host:port` of the one that alerts go to; absent for none
 */
export async function startPrometheus(
  statsAddress: string,
  innerSecret: string,
  alertmanager?: string,
): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'lontar-prometheus-'));
  await cp(CONFIGURATION, folder, { recursive: true });
  await hasten(join(folder, 'prometheus.yml'), statsAddress);
  await writeFile(join(folder, 'inner_secret'), innerSecret, { mode: 0o600 });
  for (const file of await readdir(join(folder, 'rules'))) await hasten(join(folder, 'rules', file), statsAddress);
  // In place of the one that compose has.
  const targets = alertmanager === undefined ? [] : [{ targets: [alertmanager] }];
  await writeFile(join(folder, 'alertmanagers', 'compose.json'), JSON.stringify(targets));
  const port = await freePort();
  const server = spawn(
    'prometheus',
    [
      // Versions before 3 ask for it.
      '--enable-feature=expand-external-labels',
      // The first time it may know of no Alertmanager yet.
      '--rules.alert.resend-delay=1s',
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore', env: { ...process.env, RUNBOOKS_URL } },
  );
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, server);
  return {
    async query(expr) {
      const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`);
      const { data, error } = (await answer.json()) as { data?: { result: Sample[] }; error?: string };
      if (data === undefined) throw new Error(`${error} in ${expr}`);
      return data.result;
    },
    async targetsUp(job) {
      const answer = await fetch(`${url}/api/v1/targets?state=active`);
      const { data } = (await answer.json()) as {
        data: { activeTargets: { labels: Record<string, string>; health: string }[] };
      };
      return data.activeTargets
        .filter(({ labels, health }) => labels['job'] === job && health === 'up')
        .map(({ labels }) => labels['instance'] ?? '');
    },
    async stop() {
      const gone = once(server, 'exit');
      server.kill('SIGKILL');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function hasten(file: string, statsAddress: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(
    file,
    text
      .replaceAll('stats-service:8090', statsAddress)
      .replaceAll('/run/secrets/inner_secret', 'inner_secret')
      .replaceAll(
        /\b(interval|scrape_interval|scrape_timeout|evaluation_interval|refresh_interval): \d+[sm]/g,
        '$1: 1s',
      ),
  );
}

async function untilReady(url: string, server: ReturnType<typeof spawn>): Promise<void> {
  while (server.exitCode === null) {
    const ready = await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
    await delay(100);
  }
  throw new Error('prometheus ended before it was ready');
}
